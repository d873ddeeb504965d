"""What built-in functions do with the values that they are given."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from loaders.extraction import UNKNOWN, Fact, Operand
from loaders.resolution.python.calls import Calls, Site
from loaders.resolution.python.heap import is_key
from loaders.resolution.python.names import Value

__all__ = ["call_builtin"]


def call_builtin(calls: Calls, site: Site, scope: int, callee: Operand, arguments: Fact) -> None:
    """Let values flow through a call of a name that nothing in the snapshot binds.

    Args:
        calls: The calls of the program.
        site: The call.
        scope: Scope that it is in.
        callee: Its callee; nothing is done where that is not the name of a function known here.
        arguments: Its positional arguments as operands, for those that are constants.
    """
    if callee == "super":
        _super(calls, site, scope)
    action = _FUNCTIONS.get(callee) if isinstance(callee, str) else None
    if action is not None and site.positional and site.positional[0] is not None:
        action(calls, site, site.positional[0], arguments)


def _super(calls: Calls, site: Site, scope: int) -> None:
    symbols = site.module.extraction.symbols
    while scope >= 0 and symbols[scope].kind != "method":
        scope = symbols[scope].parent
    if scope >= 0:
        method = symbols[scope]
        class_ = (site.module.path, method.parent)
        of_class = "classmethod" in method.decorators or method.name == "__new__"
        calls.flow.add(site.result, ("super", class_, ("class" if of_class else "instance", *class_)))


def _collect(calls: Calls, site: Site, first: int, arguments: Fact) -> None:
    """The result has the elements of the argument; where that is a container, the keys of these too."""
    calls.flow.when(first, partial(_collect_from, calls, site))


def _collect_from(calls: Calls, site: Site, value: Value) -> None:
    if value[0] == "container":
        calls.flow.add(site.result, value)
    elif value[0] == "instance":
        _gather(calls, site, value)


def _reorder(calls: Calls, site: Site, first: int, arguments: Fact) -> None:
    """The result has the elements of the argument at any position."""
    calls.flow.when(first, partial(_gather, calls, site))


def _gather(calls: Calls, site: Site, value: Value) -> None:
    calls.heap.new_container(site.result)
    elements = calls.heap.item(site.result, UNKNOWN)
    calls.iterate(site.module, (site.reference, site.reference), elements, value)


def _consume(calls: Calls, site: Site, first: int, arguments: Fact) -> None:
    _element(calls, site, first)


def _reversed(calls: Calls, site: Site, first: int, arguments: Fact) -> None:
    calls.flow.when(first, partial(_reverse, calls, site))


def _reverse(calls: Calls, site: Site, value: Value) -> None:
    if not calls.special(site.module, site.reference, "__reversed__", site.result, (), value):
        _gather(calls, site, value)


def _iter(calls: Calls, site: Site, first: int, arguments: Fact) -> None:
    calls.flow.when(first, partial(_iter_of, calls, site))


def _iter_of(calls: Calls, site: Site, value: Value) -> None:
    if not calls.special(site.module, site.reference, "__iter__", site.result, (), value):
        calls.flow.add(site.result, value)


def _next(calls: Calls, site: Site, first: int, arguments: Fact) -> None:
    calls.flow.when(first, partial(calls.advance, site.module, site.reference, site.result))


def _method(name: str) -> Callable[[Calls, Site, int, Fact], None]:
    """A function that calls a special method of its argument."""

    def action(calls: Calls, site: Site, first: int, arguments: Fact) -> None:
        calls.flow.when(first, partial(calls.special, site.module, site.reference, name, site.result, ()))

    return action


def _getattr(calls: Calls, site: Site, first: int, arguments: Fact) -> None:
    if len(arguments) > 1 and is_key(arguments[1]):
        calls.flow.when(first, partial(calls.heap.load, arguments[1][1:], site.result))


def _setattr(calls: Calls, site: Site, first: int, arguments: Fact) -> None:
    if len(arguments) > 2 and is_key(arguments[1]) and site.positional[2] is not None:
        calls.flow.when(first, partial(calls.heap.set, arguments[1][1:], site.positional[2]))


def _type(calls: Calls, site: Site, first: int, arguments: Fact) -> None:
    if len(arguments) == 1:
        calls.flow.when(first, partial(calls.heap.class_of, site.result))


def _map(calls: Calls, site: Site, first: int, arguments: Fact) -> None:
    elements = tuple(_element(calls, site, node) for node in site.positional[1:])
    result = calls.flow.node()
    calls.add(Site(site.module, site.reference, elements, (), result), first)
    calls.heap.new_container(site.result)
    calls.heap.store(site.result, UNKNOWN, result)


def _filter(calls: Calls, site: Site, first: int, arguments: Fact) -> None:
    element = _element(calls, site, site.positional[1]) if len(arguments) > 1 else None
    calls.add(Site(site.module, site.reference, (element,), (), calls.flow.node()), first)
    calls.heap.new_container(site.result)
    calls.heap.store(site.result, UNKNOWN, element)


def _enumerate(calls: Calls, site: Site, first: int, arguments: Fact) -> None:
    _pairs(calls, site, (None, _element(calls, site, first)))


def _zip(calls: Calls, site: Site, first: int, arguments: Fact) -> None:
    _pairs(calls, site, tuple(_element(calls, site, node) for node in site.positional))


def _pairs(calls: Calls, site: Site, elements: tuple[int | None, ...]) -> None:
    """The result holds tuples of these elements."""
    pair = calls.flow.node()
    calls.heap.new_container(pair)
    for position, element in enumerate(elements):
        calls.heap.store(pair, f"#{position}", element)
    calls.heap.new_container(site.result)
    calls.heap.store(site.result, UNKNOWN, pair)


def _element(calls: Calls, site: Site, node: int | None) -> int | None:
    if node is None:
        return None
    element = calls.flow.node()
    calls.flow.when(node, partial(calls.iterate, site.module, (site.reference, site.reference), element))
    return element


_FUNCTIONS: dict[str, Callable[[Calls, Site, int, Fact], None]] = {
    **dict.fromkeys(("list", "tuple", "dict"), _collect),
    **dict.fromkeys(("set", "frozenset", "sorted"), _reorder),
    **dict.fromkeys(("any", "all", "sum"), _consume),
    "iter": _iter,
    "next": _next,
    "reversed": _reversed,
    "len": _method("__len__"),
    "str": _method("__str__"),
    "repr": _method("__repr__"),
    "format": _method("__format__"),
    "bytes": _method("__bytes__"),
    "hash": _method("__hash__"),
    "bool": _method("__bool__"),
    "int": _method("__int__"),
    "float": _method("__float__"),
    "complex": _method("__complex__"),
    "abs": _method("__abs__"),
    "round": _method("__round__"),
    "dir": _method("__dir__"),
    "getattr": _getattr,
    "setattr": _setattr,
    "type": _type,
    "map": _map,
    "filter": _filter,
    "enumerate": _enumerate,
    "zip": _zip,
}
