"""What built-in functions do with the values that they are given."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from loaders.extraction import UNKNOWN, Fact, Operand
from loaders.resolution.python.calls import Site
from loaders.resolution.python.heap import is_key
from loaders.resolution.python.names import Value
from loaders.resolution.python.program import Program

__all__ = ["call_builtin"]


def call_builtin(program: Program, site: Site, scope: int, callee: Operand, arguments: Fact) -> None:
    """Let values flow through a call of a name that nothing in the snapshot binds.

    Args:
        program: The program.
        site: The call.
        scope: Scope that it is in.
        callee: Its callee; nothing is done where that is not the name of a function known here.
        arguments: Its positional arguments as operands, for those that are constants.
    """
    if callee == "super":
        _super(program, site, scope)
    action = _FUNCTIONS.get(callee) if isinstance(callee, str) else None
    if action is not None and site.positional and site.positional[0] is not None:
        action(program, site, site.positional[0], arguments)


def _super(program: Program, site: Site, scope: int) -> None:
    symbols = site.module.extraction.symbols
    while scope >= 0 and symbols[scope].kind != "method":
        scope = symbols[scope].parent
    if scope >= 0:
        method = symbols[scope]
        class_ = (site.module.path, method.parent)
        of_class = "classmethod" in method.decorators or method.name == "__new__"
        program.flow.add(site.result, ("super", class_, ("class" if of_class else "instance", *class_)))


def _collect(program: Program, site: Site, first: int, arguments: Fact) -> None:
    """The result has the elements of the argument; where that is a container, the keys of these too."""
    program.flow.when(first, partial(_collect_from, program, site))


def _collect_from(program: Program, site: Site, value: Value) -> None:
    if value[0] == "container":
        program.flow.add(site.result, value)
    elif value[0] == "instance":
        _gather(program, site, value)


def _reorder(program: Program, site: Site, first: int, arguments: Fact) -> None:
    """The result has the elements of the argument at any position."""
    program.flow.when(first, partial(_gather, program, site))


def _gather(program: Program, site: Site, value: Value) -> None:
    program.heap.new_container(site.result)
    elements = program.heap.item(site.result, UNKNOWN)
    program.special.iterate(site.module, (site.reference, site.reference), elements, value)


def _consume(program: Program, site: Site, first: int, arguments: Fact) -> None:
    _element(program, site, first)


def _reversed(program: Program, site: Site, first: int, arguments: Fact) -> None:
    program.flow.when(first, partial(_reverse, program, site))


def _reverse(program: Program, site: Site, value: Value) -> None:
    if not program.special.call(site.module, site.reference, "__reversed__", site.result, (), value):
        _gather(program, site, value)


def _iter(program: Program, site: Site, first: int, arguments: Fact) -> None:
    program.flow.when(first, partial(_iter_of, program, site))


def _iter_of(program: Program, site: Site, value: Value) -> None:
    if not program.special.call(site.module, site.reference, "__iter__", site.result, (), value):
        program.flow.add(site.result, value)


def _next(program: Program, site: Site, first: int, arguments: Fact) -> None:
    program.flow.when(first, partial(program.special.advance, site.module, site.reference, site.result))


def _method(name: str) -> Callable[[Program, Site, int, Fact], None]:
    """A function that calls a special method of its argument."""

    def action(program: Program, site: Site, first: int, arguments: Fact) -> None:
        program.flow.when(
            first, partial(program.special.call, site.module, site.reference, name, site.result, ())
        )

    return action


def _getattr(program: Program, site: Site, first: int, arguments: Fact) -> None:
    if len(arguments) > 1 and is_key(arguments[1]):
        program.flow.when(first, partial(program.heap.load, arguments[1][1:], site.result))


def _setattr(program: Program, site: Site, first: int, arguments: Fact) -> None:
    if len(arguments) > 2 and is_key(arguments[1]) and site.positional[2] is not None:
        program.flow.when(first, partial(program.heap.set, arguments[1][1:], site.positional[2]))


def _type(program: Program, site: Site, first: int, arguments: Fact) -> None:
    if len(arguments) == 1:
        program.flow.when(first, partial(program.heap.class_of, site.result))


def _map(program: Program, site: Site, first: int, arguments: Fact) -> None:
    elements = tuple(_element(program, site, node) for node in site.positional[1:])
    result = program.flow.node()
    program.calls.add(Site(site.module, site.reference, elements, (), result), first)
    program.heap.new_container(site.result)
    program.heap.store(site.result, UNKNOWN, result)


def _filter(program: Program, site: Site, first: int, arguments: Fact) -> None:
    element = _element(program, site, site.positional[1]) if len(arguments) > 1 else None
    program.calls.add(Site(site.module, site.reference, (element,), (), program.flow.node()), first)
    program.heap.new_container(site.result)
    program.heap.store(site.result, UNKNOWN, element)


def _enumerate(program: Program, site: Site, first: int, arguments: Fact) -> None:
    _pairs(program, site, (None, _element(program, site, first)))


def _zip(program: Program, site: Site, first: int, arguments: Fact) -> None:
    _pairs(program, site, tuple(_element(program, site, node) for node in site.positional))


def _pairs(program: Program, site: Site, elements: tuple[int | None, ...]) -> None:
    """The result holds tuples of these elements."""
    pair = program.flow.node()
    program.heap.new_container(pair)
    for position, element in enumerate(elements):
        program.heap.store(pair, f"#{position}", element)
    program.heap.new_container(site.result)
    program.heap.store(site.result, UNKNOWN, pair)


def _element(program: Program, site: Site, node: int | None) -> int | None:
    if node is None:
        return None
    element = program.flow.node()
    program.flow.when(
        node, partial(program.special.iterate, site.module, (site.reference, site.reference), element)
    )
    return element


_FUNCTIONS: dict[str, Callable[[Program, Site, int, Fact], None]] = {
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
