"""The command line: a thin shell over `graphsvc.knowledge`."""

from __future__ import annotations

from graphsvc.cli.root import main

__all__ = ["main"]
