"""How a comparison of what was found with what is true is asked for and told."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

__all__ = ["add_options", "tell"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `tell` reads: ``--json`` and ``--errors``."""
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--errors", type=int, default=0, help="print so many of those wrong and missed")


def tell(figures: dict[str, Any], options: argparse.Namespace, **least: float) -> int:
    """Print figures, then some of those ``wrong`` and ``missed``, on standard error.

    Args:
        figures: Numbers by name, and two lists, ``wrong`` and ``missed``.
        options: With those of `add_options`.
        least: Least value of a figure.

    Returns:
        The exit status: 1 where a figure is less.
    """
    numbers = {name: value for name, value in figures.items() if name not in ("wrong", "missed")}
    if options.json:
        print(json.dumps(numbers))
    else:
        for name, value in numbers.items():
            print(f"{name:16} {value:.4f}" if isinstance(value, float) else f"{name:16} {value}")
    for label in ("wrong", "missed"):
        for one in figures[label][: options.errors]:
            print(label, *(one if isinstance(one, (tuple, list)) else (one,)), file=sys.stderr)
    return int(any(figures[name] < limit for name, limit in least.items()))
