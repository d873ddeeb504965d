"""What the parts of the analysis of a program share."""

from __future__ import annotations

from dataclasses import dataclass

from loaders.resolution.flow import Flow
from loaders.resolution.model import Snapshot
from loaders.resolution.python.calls import Calls
from loaders.resolution.python.heap import Heap
from loaders.resolution.python.names import Names
from loaders.resolution.python.special import SpecialMethods

__all__ = ["Program"]


@dataclass(frozen=True, slots=True)
class Program:
    """A program that is analysed.

    Attributes:
        flow: The constraints on its values.
        names: What its names mean.
        heap: What its values hold.
        calls: Its calls.
        special: Those of special methods.
    """

    flow: Flow
    names: Names
    heap: Heap
    calls: Calls
    special: SpecialMethods

    @classmethod
    def of(cls, snapshot: Snapshot) -> Program:
        """The program in the Python files of a snapshot, without constraints yet."""
        flow = Flow()
        names = Names(snapshot, flow)
        heap = Heap(names, flow)
        calls = Calls(names, heap, flow)
        return cls(flow, names, heap, calls, SpecialMethods(names, heap, flow, calls))
