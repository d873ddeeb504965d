"""Precision and recall of Java definitions against javalang.

``python -m benchmarks.definitions_java --root PATH``; needs the PyPI package javalang, which reads Java 8:
files that use newer syntax are left out. Anonymous functions and classes are not compared, because javalang
has no positions for them.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.definition_counts import Definition, Figure, Truth, compare, definitions_of, main
from loaders.extraction import Extraction

_GROUPS = {
    "ClassDeclaration": "types",
    "InterfaceDeclaration": "types",
    "EnumDeclaration": "types",
    "AnnotationDeclaration": "types",
    "MethodDeclaration": "functions",
    "ConstructorDeclaration": "functions",
    "AnnotationMethod": "functions",
    "FieldDeclaration": "fields",
    "ConstantDeclaration": "constants",
}


def truth(root: Path) -> Truth:
    """What javalang says about the files below a folder that it can parse."""
    try:
        javalang: Any = importlib.import_module("javalang")
    except ImportError as error:
        raise SystemExit("no truth for Java: run `pip install javalang`") from error
    failures = (javalang.parser.JavaSyntaxError, javalang.tokenizer.LexerError, RecursionError, StopIteration)
    files, definitions = set(), []
    for file in sorted(root.rglob("*.java")):
        path = file.relative_to(root).as_posix()
        try:
            tokens = list(javalang.tokenizer.tokenize(file.read_text(encoding="utf-8")))
            unit = javalang.parser.Parser(tokens).parse()
        except (*failures, UnicodeDecodeError, TypeError, AttributeError):
            continue
        files.add(path)
        definitions += [Definition(path, *found) for found in _definitions(unit, tokens)]
    return Truth(frozenset(files), tuple(definitions), {})


def _definitions(unit: Any, tokens: list[Any]) -> Iterator[tuple[str, str, int]]:
    """(group, name, line of the name): javalang has positions of declarations, the tokens those of names."""
    places = {tuple(token.position): index for index, token in enumerate(tokens)}
    for _, node in unit:
        kind = type(node).__name__
        if kind not in _GROUPS:
            continue
        index = places[tuple(node.position)]
        group = _GROUPS[kind]
        if kind in ("FieldDeclaration", "ConstantDeclaration"):
            fixed = {"static", "final"} <= node.modifiers
            names = [declarator.name for declarator in node.declarators]
            group = "constants" if fixed else group
        else:
            names = [node.name]
        for name in names:
            index = _next(tokens, index, name)
            yield group, name, tokens[index].position.line
        if kind == "EnumDeclaration":
            yield from _constants(tokens, index, [constant.name for constant in node.body.constants])


def _next(tokens: list[Any], index: int, name: str) -> int:
    while tokens[index].value != name:
        index += 1
    return index


def _constants(tokens: list[Any], index: int, names: list[str]) -> Iterator[tuple[str, str, int]]:
    """The constants of an enum that starts at a token; their bodies and arguments may name them again."""
    depth = 0
    for token in tokens[index:]:
        depth += (token.value in "({") - (token.value in ")}")
        if depth == 1 and names and token.value == names[0]:
            yield "enum members", names.pop(0), token.position.line


def _named(path: str, extraction: Extraction) -> Iterable[Definition]:
    return (definition for definition in definitions_of(path, extraction) if definition.name)


def figures(root: Path) -> tuple[list[Figure], list[str]]:
    """Figures by group, and a line for each disagreement."""
    return compare(root, truth(root), lambda path: "java", _named)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, lambda options: figures(options.root.resolve())))
