"""A solver for subset constraints: which values can reach which variable.

Variables are numbered nodes, each with the set of values known to reach it. ``copy`` says that whatever
reaches one node reaches another; ``when`` runs an action for each value that reaches a node, which may add
values, copies and actions. Sets only grow, so the solution does not depend on the order of the work.

>>> flow = Flow()
>>> a, b = flow.node(), flow.node()
>>> flow.copy(a, b)
>>> flow.add(a, "f")
>>> seen = []
>>> flow.when(b, seen.append)
>>> flow.solve()
>>> sorted(flow.values[b]), seen
(['f'], ['f'])
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from typing import Any

__all__ = ["Flow"]

Value = Any


class Flow:
    """The constraints and what is known of their solution.

    Args:
        limit: Number of values above which a node takes no more: what so many values reach is no longer
            evidence about any of them. Which values a node keeps then follows from the order of the work,
            which is fixed by the order in which the constraints were made.

    Attributes:
        values: Values known to reach each node, in the order in which they did (the keys of a dictionary, because
            the order of a set is not the same in every process); None where there is none yet, as for most.
    """

    def __init__(self, limit: int = 8) -> None:
        self.values: list[dict[Value, None] | None] = []
        self._copies: list[dict[int, None] | None] = []
        self._actions: list[list[Callable[[Value], object]] | None] = []
        self._pending: deque[tuple[int | Callable[[Value], object], Value]] = deque()
        self._limit = limit

    def node(self) -> int:
        """A new node."""
        return self.nodes(1)

    def nodes(self, count: int) -> int:
        """The first of so many new nodes in a row."""
        first = len(self.values)
        self.values.extend([None] * count)
        self._copies.extend([None] * count)
        self._actions.extend([None] * count)
        return first

    def add(self, node: int, value: Hashable) -> None:
        """Say that a value reaches a node."""
        known = self.values[node]
        if known is None:
            self.values[node] = {value: None}
            self._pending.append((node, value))
        elif len(known) < self._limit and value not in known:
            known[value] = None
            self._pending.append((node, value))

    def copy(self, source: int, target: int) -> None:
        """Say that what reaches one node reaches the other."""
        targets = self._copies[source]
        if targets is None:
            self._copies[source] = {target: None}
        elif target in targets:
            return
        else:
            targets[target] = None
        for value in tuple(self.values[source] or ()):
            self.add(target, value)

    def when(self, node: int, action: Callable[[Value], object]) -> None:
        """Run an action for each value that reaches a node, now or later."""
        actions = self._actions[node]
        if actions is None:
            actions = self._actions[node] = []
        actions.append(action)
        for value in self.values[node] or ():
            self._pending.append((action, value))

    def solve(self) -> None:
        """Propagate until nothing changes."""
        pending, values, limit = self._pending, self.values, self._limit
        while pending:
            goal, value = pending.popleft()
            if not isinstance(goal, int):
                goal(value)
                continue
            for target in tuple(self._copies[goal] or ()):
                # As `add` does; most of the time goes here, and a call would double it.
                known = values[target]
                if known is None:
                    values[target] = {value: None}
                    pending.append((target, value))
                elif len(known) < limit and value not in known:
                    known[value] = None
                    pending.append((target, value))
            for action in tuple(self._actions[goal] or ()):
                action(value)

    def close(self) -> None:
        """Let the constraints go; the values stay.

        Actions hold what holds the flow. While the cyclic collector rests, nothing else would free them, and freeing
        them with everything else that is alive by then takes longer than half of the resolution.
        """
        self._actions.clear()
