"""Precision and recall of C and C++ definitions against libclang.

``python -m benchmarks.definitions_c --root PATH [--flag=-IPATH ...]``; needs the PyPI package libclang and
gcc's own headers. A file that does not compile on its own with the given flags is left out, and so are lines
that the preprocessor left out, and what a macro with arguments defines, as ``TEST(a, b) { }``. Headers are extracted as
C++, as everywhere; ``--headers`` says as what libclang reads them.
"""

from __future__ import annotations

import argparse
import importlib
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.definition_counts import Definition, Figure, Truth, compare, definitions_of, main
from loaders.extraction import Extraction

_SUFFIXES = {".c": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".hh": "cpp"}
_FUNCTIONS = frozenset(
    {"FUNCTION_DECL", "CXX_METHOD", "CONSTRUCTOR", "DESTRUCTOR", "CONVERSION_FUNCTION", "FUNCTION_TEMPLATE"}
)
_TYPES = frozenset(
    {
        "STRUCT_DECL",
        "UNION_DECL",
        "CLASS_DECL",
        "CLASS_TEMPLATE",
        "ENUM_DECL",
        "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION",
    }
)
_GROUPS = {
    **dict.fromkeys(_FUNCTIONS, "functions"),
    **dict.fromkeys(_TYPES, "types"),
    "NAMESPACE": "types",
    "CONCEPT_DECL": "types",
    "LAMBDA_EXPR": "anonymous",
    "FIELD_DECL": "fields",
    "VAR_DECL": "constants",
    "ENUM_CONSTANT_DECL": "enum members",
    "TYPEDEF_DECL": "aliases",
    "TYPE_ALIAS_DECL": "aliases",
    "TYPE_ALIAS_TEMPLATE_DECL": "aliases",
    "MACRO_DEFINITION": "macros",
}


class Invoked(NamedTuple):
    """The macros that a file uses: (line, name), and the lines (first, last) of those with arguments.

    libclang places what stands in arguments at the macro's name.
    """

    heads: set[tuple[int, str]]
    lines: list[tuple[int, int]]


def truth(root: Path, header_language: str, flags: list[str]) -> tuple[Truth, dict[str, Invoked]]:
    """What libclang says about the files below a folder that compile without an error, and the macros they use."""
    try:
        clang: Any = importlib.import_module("clang.cindex")
    except ImportError as error:
        raise SystemExit("no truth for C and C++: run `pip install libclang`") from error
    index = clang.Index.create()
    builtin = subprocess.run(
        ["gcc", "-print-file-name=include"], capture_output=True, check=True, text=True
    ).stdout.strip()
    files, definitions, unseen = set(), [], {}
    invoked: dict[str, Invoked] = {}
    for file in sorted(path for path in root.rglob("*") if path.is_file()):
        language = _SUFFIXES.get(file.suffix, header_language if file.suffix == ".h" else None)
        if language is None:
            continue
        standard = ["-x", "c++", "-std=c++20"] if language == "cpp" else ["-x", "c", "-std=gnu17"]
        unit = index.parse(str(file), [*standard, f"-isystem{builtin}", *flags], options=1)
        if any(problem.severity >= clang.Diagnostic.Error for problem in unit.diagnostics):
            continue
        path = file.relative_to(root).as_posix()
        files.add(path)
        source = file.read_bytes()
        macros = {
            cursor.location.offset: cursor
            for cursor in unit.cursor.get_children()
            if cursor.kind.name == "MACRO_INSTANTIATION" and str(cursor.location.file) == str(file)
        }
        plain = {at for at, macro in macros.items() if _is_another_name(macro)}
        used = [macro for at, macro in macros.items() if at not in plain]
        invoked[path] = Invoked(
            {(macro.location.line, macro.spelling) for macro in used},
            [(macro.extent.start.line, macro.extent.end.line) for macro in used],
        )
        definitions += [
            Definition(path, *found)
            for found in _definitions(unit, str(file), source, plain)
            if found[1] or not any(first <= found[2] <= last for first, last in invoked[path].lines)
        ]
        unseen[path] = _skipped(clang, unit, str(file))
    return Truth(frozenset(files), tuple(definitions), unseen), invoked


def _definitions(unit: Any, file: str, source: bytes, plain: set[int]) -> Iterator[tuple[str, str, int]]:
    """(group, name, line of the name) of each definition, prototype and member in the file itself."""
    pending = [(cursor, False) for cursor in unit.cursor.get_children()]
    seen = set()  # a struct is a child of its scope and of the typedef or variable that it stands in
    while pending:
        cursor, local = pending.pop()
        place = cursor.location
        if place.file is None or place.file.name != file:
            continue
        kind = cursor.kind.name
        if (kind, place.offset, cursor.spelling) in seen:
            continue
        seen.add((kind, place.offset, cursor.spelling))
        inside = local or kind in _FUNCTIONS or kind == "LAMBDA_EXPR"
        children = cursor.get_children()
        if kind == "FRIEND_DECL":  # names what is defined elsewhere, unless it has a body
            children = (child for child in children if child.is_definition())
        pending += [(child, inside) for child in children]
        if kind in _GROUPS and not (local and kind == "VAR_DECL"):
            found = _definition(cursor, kind, place, source, plain)
            if found is not None:
                yield found


def _definition(
    cursor: Any, kind: str, place: Any, source: bytes, plain: set[int]
) -> tuple[str, str, int] | None:
    group, name = _GROUPS[kind], _plain(cursor.spelling)
    if kind == "LAMBDA_EXPR":
        return group, "", place.line
    if kind in _TYPES and (not cursor.is_definition() or cursor.is_anonymous()):
        return None
    if kind in ("FUNCTION_DECL", "FUNCTION_TEMPLATE") and cursor.lexical_parent is None:
        return None
    if kind == "VAR_DECL" and cursor.lexical_parent.kind.name in _TYPES:
        group = "constants" if _element(cursor.type).is_const_qualified() else "fields"
    if kind == "TYPEDEF_DECL" and _names_its_type(cursor, source):
        group = "types"
    word = re.match(rb"~?\w+", source[place.offset :])
    written = word[0].decode("utf-8", "replace") if word else ""
    if place.offset in plain:
        name = written  # a macro without arguments stands for the name that the compiler sees
    made_by_macro = name and written != name and not written.startswith("operator")
    return None if made_by_macro or not name else (group, name, place.line)


def _is_another_name(macro: Any) -> bool:
    """Whether a macro stands for one word."""
    return macro.referenced is not None and len(list(macro.referenced.get_tokens())) == 2


def _element(type_: Any) -> Any:
    """The type of the elements of an array; of anything else, the type itself."""
    while type_.kind.name in ("CONSTANTARRAY", "INCOMPLETEARRAY", "VARIABLEARRAY", "DEPENDENTSIZEDARRAY"):
        type_ = type_.element_type
    return type_


def _plain(name: str) -> str:
    """A name without template arguments, and a conversion operator without its type."""
    if name.startswith("operator"):
        return "operator"
    return re.sub(r"<.*", "", name)


def _names_its_type(cursor: Any, source: bytes) -> bool:
    """Whether a ``typedef`` gives a struct, union or enum its only name."""
    declaration = cursor.underlying_typedef_type.get_declaration()
    direct = cursor.underlying_typedef_type.kind.name in ("ELABORATED", "RECORD", "ENUM")
    if not direct or declaration.kind.name not in _TYPES:
        return False
    return (
        re.match(rb"(?:struct|union|enum|class)\s*\{", source[declaration.extent.start.offset :]) is not None
    )


def _skipped(clang: Any, unit: Any, file: str) -> list[tuple[int, int]]:
    """Lines that the preprocessor left out; the binding lacks the call, the library has it."""
    from ctypes import POINTER, Structure, c_uint

    class Ranges(Structure):
        _fields_ = (("count", c_uint), ("ranges", POINTER(clang.SourceRange)))

    get = clang.conf.lib.clang_getSkippedRanges
    get.restype = POINTER(Ranges)
    found = get(unit, clang.File.from_name(unit, file)).contents
    ranges = [found.ranges[i] for i in range(found.count)]
    return [(place.start.line, place.end.line) for place in ranges]


def _comparable(path: str, extraction: Extraction, invoked: dict[str, Invoked]) -> Iterable[Definition]:
    """Operators by that word only; each part of a nested namespace; nothing without a name but lambdas."""
    for found, symbol in zip(definitions_of(path, extraction), extraction.symbols, strict=True):
        head = symbol.signature.partition("(")[0].strip()
        if symbol.body is not None and (symbol.start_line, head) in invoked[path].heads:
            continue
        if not found.name and any(first <= symbol.line <= last for first, last in invoked[path].lines):
            continue
        if symbol.kind == "namespace":
            yield from (
                found._replace(name=part) for part in re.split(r"\s*::\s*(?:inline\s+)?", found.name) if part
            )
        elif found.name.startswith("operator"):
            yield found._replace(name="operator")
        elif found.name or found.group == "anonymous":
            yield found


def figures(root: Path, header_language: str, flags: list[str]) -> tuple[list[Figure], list[str]]:
    """Figures by language and group, and a line for each disagreement."""

    known, invoked = truth(root, header_language, flags)
    return compare(
        root,
        known,
        lambda path: _SUFFIXES.get(Path(path).suffix, "cpp"),
        lambda path, extraction: _comparable(path, extraction, invoked),
    )


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--headers", choices=("c", "cpp"), default="cpp", help="language of .h files")
    parser.add_argument("--flag", action="append", default=[], help="a flag for the compiler, such as -IPATH")


if __name__ == "__main__":
    raise SystemExit(main(__doc__, lambda o: figures(o.root.resolve(), o.headers, o.flag), _arguments))
