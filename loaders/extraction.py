"""What one source file says about itself: symbols, references, imports and binding facts.

A table of a language (:mod:`loaders.languages`) is written in these terms: an :class:`Extractor`, which a walk over the
syntax tree drives, what it collects, and the :class:`Extraction` that it becomes.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

__all__ = [
    "EXTRACTOR_VERSION",
    "PARSE_SECONDS",
    "UNKNOWN",
    "Extraction",
    "Extractor",
    "Import",
    "Language",
    "Operand",
    "Reference",
    "Span",
    "Symbol",
    "first_named",
]

EXTRACTOR_VERSION = 11
"""Part of the key of everything stored per blob: raise it whenever an extraction changes."""

PARSE_SECONDS = 2.0
"""Time that the parser may take for one file."""

_SIGNATURE_BYTES = 512
_TEXT_BYTES = 200
_INDENT_BYTES = 200
_GAP_BYTES = 200
_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") | frozenset(
    range(128, 256)
)
_LINE_END = re.compile(rb"\n")
_PLAIN_NAME = re.compile(r"[\w$+-]+\Z")
_SUFFIX = {
    "function": "().",
    "method": "().",
    "constructor": "().",
    "lambda": "().",
    "class": "#",
    "interface": "#",
    "struct": "#",
    "enum": "#",
    "union": "#",
    "trait": "#",
    "type": "#",
    "type_alias": "#",
    "annotation": "#",
    "module": "/",
    "namespace": "/",
    "section": "/",
    "macro": "!",
}


class Span(NamedTuple):
    """Half-open range of byte offsets in the file."""

    start: int
    end: int


class Symbol(NamedTuple):
    """One definition.

    Attributes:
        ordinal: Position among the file's symbols, in source order, from 0.
        parent: Ordinal of the symbol whose text encloses it, or -1.
        kind: function, method, constructor, lambda, class, interface, struct, enum, union, trait, type,
            type_alias, annotation, module, namespace, section, macro, field, property, enum_member, constant or
            variable.
        name: Name as written; empty for an anonymous function.
        descriptor: SCIP descriptor chain inside the file, for example ``Cart#total().``.
        overload: Position among the file's symbols with the same descriptor.
        disambiguator: Empty where the descriptor is unique in the file; else a digest of the signature, with
            ``+k`` for the k-th repetition of the same signature.
        signature: Text from the start to the body, white space collapsed, at most 512 bytes.
        span, name_span, body, doc: Byte spans of the whole definition, its name, its body and its doc
            comment or docstring; body and doc are None where there is none.
        start_line, line, end_line: Lines, from 1, where it starts, where its name is, and where it ends.
        body_hash: Digest of the whole definition.
        blank_hash: The same with each occurrence of its own name blanked: equal for a renamed copy.
        exported: Whether the language's rules let other files or packages use it.
        decorators: Decorators or annotations as written, without the marker.
    """

    ordinal: int
    parent: int
    kind: str
    name: str
    descriptor: str
    overload: int
    disambiguator: str
    signature: str
    span: Span
    name_span: Span
    body: Span | None
    doc: Span | None
    start_line: int
    line: int
    end_line: int
    body_hash: str
    blank_hash: str
    exported: bool
    decorators: tuple[str, ...]


class Reference(NamedTuple):
    """One use of a name that may lead to a symbol.

    Attributes:
        ordinal: Position among the file's references, in the order of the walk, from 0.
        kind: call, type, inherit, read (a name that stands for a value) or special (a statement or operator that
            calls a special method of the value that it is given, as ``with`` does).
        name: The last name of the expression, for example ``total`` in ``cart.total()``; the special method's.
        receiver: Text before the last name, for example ``cart``; empty where there is none.
        span: Bytes of the whole callee or type expression, or of the value that has the special method.
        line: Line of the last name, from 1.
        enclosing: Ordinal of the symbol whose text encloses it, or -1.
    """

    ordinal: int
    kind: str
    name: str
    receiver: str
    span: Span
    line: int
    enclosing: int


class Import(NamedTuple):
    """One name that an import statement binds.

    Attributes:
        ordinal: Position among the file's import bindings, from 0.
        module: Module, package or path as written, without quotes and leading dots.
        name: Name taken out of the module; empty where the module itself is bound.
        alias: Local name that it is bound to; empty for a star or a side-effect import.
        level: Number of leading dots of a relative import; 0 for an absolute one.
        star: Whether all exported names are bound.
        span: Bytes of the statement or clause.
        line: Line where it starts, from 1.
        enclosing: Ordinal of the symbol whose text encloses it, or -1.
    """

    ordinal: int
    module: str
    name: str
    alias: str
    level: int
    star: bool
    span: Span
    line: int
    enclosing: int


Fact = Sequence[Any]
"""``(op, *operands)``: a tuple, or a list once it has been through JSON. The module that emits the facts of a
language documents their operations."""

Operand = int | str
"""A value in a fact: the position of the fact that makes it, a name to look up, or :data:`UNKNOWN`."""

UNKNOWN = -1
"""The operand for a value that nothing is known about, for example a number."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that was found in one file. Plain tuples throughout: it can be pickled, compared and hashed.

    Attributes:
        language: Name of the language that it was read as.
        symbols, references, imports: In the order of their ordinals.
        facts: Binding facts, for the languages that :mod:`loaders.resolution` resolves.
        errors: Number of syntax errors that the parser recovered from; more than 0 means that the extraction
            is partial.
    """

    language: str
    symbols: tuple[Symbol, ...]
    references: tuple[Reference, ...]
    imports: tuple[Import, ...]
    facts: Sequence[Fact]
    errors: int


Values = list[tuple[str | None, Any]]
"""What the children of a node left behind: (field of the child in its parent, value), in source order."""

Enter = Callable[["Extractor", "Node"], None]
Leave = Callable[["Extractor", "Node", Values], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """How to read one language.

    Attributes:
        name: The name that everything else uses, for example ``python``.
        grammar: Where its grammar is, as ``package:function``.
        extensions: Endings of file names, with the dot, in lower case.
        enter: Node type to what is done when the walk reaches such a node, before its children.
        leave: Node type to what is done when the walk leaves it; the value that it returns (unless None) is
            handed to the nearest enclosing node that has a ``leave`` of its own.
        skip: Node types that the walk does not descend into, because nothing of interest can be there.
        comments: Node types of comments; a run of them that ends on the line before a definition is its doc.
        interpreters: Names of interpreters in a ``#!`` line.
        filenames: Whole file names that the extension does not tell.
        marks: Matches the head of a file of this language where another one claims the same extension.
        state: Makes what ``Extractor.state`` holds at the start of a walk.
        prepare: Makes what the parser reads of the bytes of a file, at the same offsets, where the grammar
            cannot read the file as it is.
        finish: What is done after the walk of a whole file.
    """

    name: str
    grammar: str
    extensions: tuple[str, ...]
    enter: Mapping[str, Enter]
    leave: Mapping[str, Leave] = field(default_factory=dict)
    skip: frozenset[str] = frozenset()
    comments: frozenset[str] = frozenset({"comment"})
    interpreters: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    marks: re.Pattern[bytes] | None = None
    state: Callable[[], Any] = dict
    prepare: Callable[[bytes], bytes] = bytes
    finish: Callable[[Extractor], None] | None = None


class Extractor:
    """The state of one walk, and what the handlers of a language may do with it.

    Attributes:
        data: Bytes of the file.
        scope: Ordinal of the innermost symbol whose scope is open, or -1.
        facts: Binding facts emitted so far; the position of a fact is its value.
        state: Free for the handlers of the language.
    """

    def __init__(self, data: bytes, state: Any) -> None:
        self.data = data
        self._line_ends = [found.start() for found in _LINE_END.finditer(data)]
        self.scope = -1
        self.facts: list[Fact] = []
        self.state = state
        self._symbols: list[Symbol] = []
        self._references: list[Reference] = []
        self._imports: list[Import] = []
        self._overloads: dict[str, int] = {}
        self._texts: dict[bytes, str] = {}
        self._receivers: dict[bytes, str] = {}
        self._errors = 0
        self._scopes: list[int] = []  # the scopes around the open one
        self._comment = (0, 0, -1)

    @property
    def symbols(self) -> list[Symbol]:
        """The symbols so far, overloads not told apart yet."""
        return self._symbols

    @property
    def referred(self) -> set[int]:
        """First bytes of the last names of all references so far that name something."""
        return {
            found.span.end - len(found.name.encode()) for found in self._references if found.kind != "special"
        }

    @property
    def local_names(self) -> set[str]:
        """Names that imports have bound so far."""
        return {found.alias for found in self._imports if found.alias}

    def text(self, node: Node) -> str:
        """Source text of a node; bytes that are not UTF-8 appear as ``\\xNN``."""
        raw = self.data[node.start_byte : node.end_byte]
        known = self._texts.get(raw)
        if known is None:
            known = self._texts[raw] = raw.decode("utf-8", "backslashreplace")
        return known

    def descriptor_of(self, symbol: int) -> str:
        """Descriptor chain of the symbol with that ordinal; empty for -1, the file itself."""
        return self._symbols[symbol].descriptor if symbol >= 0 else ""

    def parent_of(self, symbol: int) -> int:
        """Ordinal of the symbol that encloses the one with that ordinal, or -1."""
        return self._symbols[symbol].parent if symbol >= 0 else -1

    def kind_of(self, symbol: int) -> str:
        """Kind of the symbol with that ordinal; empty for -1, the file itself."""
        return self._symbols[symbol].kind if symbol >= 0 else ""

    def name_of(self, symbol: int) -> str:
        """Name of the symbol with that ordinal; empty for -1, the file itself."""
        return self._symbols[symbol].name if symbol >= 0 else ""

    def doc_of(self, symbol: int) -> str:
        """Doc comment of the symbol with that ordinal; empty where it has none."""
        doc = self._symbols[symbol].doc if symbol >= 0 else None
        return self.data[doc.start : doc.end].decode("utf-8", "backslashreplace") if doc else ""

    def comment_above(self, offset: int) -> str:
        """The last comment, where nothing but white space stands between it and a byte; else nothing.

        Unlike a doc, it may stand further up, as JSDoc comments do.
        """
        start, end, _ = self._comment
        if not 0 <= offset - end <= _GAP_BYTES or self.data[end:offset].strip():
            return ""
        return self.data[start:end].decode("utf-8", "backslashreplace")

    def line_start(self, node: Node) -> int:
        """First byte of the line that a node starts in."""
        line = self._line(node.start_byte)
        return self._line_ends[line - 2] + 1 if line > 1 else 0

    def start_of(self, symbol: int) -> int:
        """First byte of the symbol with that ordinal; 0 for -1, the file itself."""
        return self._symbols[symbol].span.start if symbol >= 0 else 0

    def define(
        self,
        kind: str,
        node: Node,
        name: Node | None,
        *,
        prefix: int = 0,
        body: Node | None = None,
        doc: Node | None = None,
        owner: str | None = None,
        exported: bool = True,
        decorators: tuple[str, ...] = (),
    ) -> int:
        """Record a definition and return its ordinal.

        Args:
            kind: One of the kinds listed at :class:`Symbol`.
            node: The whole definition.
            name: Its name; None for an anonymous function.
            prefix: Bytes at the start of ``name`` that are not part of the name, such as Ruby's ``:``.
            body: Its body, where it has one.
            doc: Its docstring; where None, the comments that end on the line before it.
            owner: Descriptor chain that it hangs from; the enclosing symbol's where None.
            exported: Whether other files or packages may use it.
            decorators: Decorators or annotations, without the marker.
        """
        start, end = node.start_byte, node.end_byte
        ordinal = len(self._symbols)
        text = self.text(name)[prefix:] if name else ""
        if owner is None:
            owner = self.descriptor_of(self.scope)
        descriptor = owner + _escape(text or f"<{kind}>") + _SUFFIX.get(kind, ".")
        head_end = body.start_byte if body else end
        name_span = Span(name.start_byte + prefix, name.end_byte) if name else Span(start, start)
        whole = self.data[start:end]
        start_line = self._line(start)
        overload = self._overloads.get(descriptor, 0)
        self._overloads[descriptor] = overload + 1
        self._symbols.append(
            Symbol(
                ordinal=ordinal,
                parent=self.scope,
                kind=kind,
                name=text,
                descriptor=descriptor,
                overload=overload,
                disambiguator="",
                signature=_collapse(self.data[start : min(head_end, start + _SIGNATURE_BYTES)]),
                span=Span(start, end),
                name_span=name_span,
                body=Span(body.start_byte, body.end_byte) if body else None,
                doc=Span(doc.start_byte, doc.end_byte) if doc else self._comment_before(start_line - 1),
                start_line=start_line,
                line=self._line(name.start_byte) if name else start_line,
                end_line=self._line(end),
                body_hash=_digest(whole),
                blank_hash=_digest(_blank(whole, self.data[name_span.start : name_span.end])),
                exported=exported,
                decorators=decorators,
            )
        )
        return ordinal

    def open_scope(self, symbol: int) -> None:
        """Make a symbol the enclosing one until the walk leaves the node that it is at."""
        self._scopes.append(self.scope)
        self.scope = symbol

    def refer(
        self,
        kind: str,
        node: Node,
        name: Node,
        receiver: Node | None = None,
        *,
        enclosing: int | None = None,
    ) -> int:
        """Record a reference and return its ordinal.

        Args:
            kind: call, type, inherit or read.
            node: The whole callee or type expression.
            name: Its last name.
            receiver: The expression before the last name, where there is one.
            enclosing: Ordinal of the symbol that makes the reference; the open scope where None.
        """
        before = self._shown(receiver) if receiver is not None else ""
        return self._refer(kind, self.text(name), before, node, self._line(name.start_byte), enclosing)

    def refer_special(self, method: str, value: Node) -> int:
        """Record that a statement or operator calls a special method of a value, and return the ordinal."""
        return self._refer("special", method, self._shown(value), value, self._line(value.start_byte))

    def rename(self, reference: int, method: str) -> None:
        """Let a reference to a special method be one to another, as what is around the value tells."""
        self._references[reference] = self._references[reference]._replace(name=method)

    def _refer(
        self, kind: str, name: str, receiver: str, node: Node, line: int, enclosing: int | None = None
    ) -> int:
        ordinal = len(self._references)
        span = Span(node.start_byte, node.end_byte)
        scope = self.scope if enclosing is None else enclosing
        self._references.append(Reference(ordinal, kind, name, receiver, span, line, scope))
        return ordinal

    def _shown(self, node: Node) -> str:
        """The text of an expression as a receiver has it: its beginning, white space collapsed."""
        start = node.start_byte
        return self._collapsed(self.data[start : min(node.end_byte, start + _TEXT_BYTES)])

    def _line(self, offset: int) -> int:
        """Line of a byte, from 1; many times cheaper than to ask a node for its place."""
        return bisect_left(self._line_ends, offset) + 1

    def _collapsed(self, raw: bytes) -> str:
        known = self._receivers.get(raw)
        if known is None:
            known = self._receivers[raw] = _collapse(raw)
        return known

    def bind_import(
        self,
        node: Node,
        module: str,
        *,
        name: str = "",
        alias: str = "",
        level: int = 0,
        star: bool = False,
        within: Span | None = None,
    ) -> None:
        """Record an import binding; the arguments are the columns of :class:`Import`, ``within`` its bytes where the
        binding is a part of a node only."""
        start, end = within or (node.start_byte, node.end_byte)
        self._imports.append(
            Import(
                len(self._imports),
                module,
                name,
                alias,
                level,
                star,
                Span(start, end),
                self._line(start),
                self.scope,
            )
        )

    def emit(self, *fact: Any) -> int:
        """Record a binding fact and return its value: the position among the facts."""
        self.facts.append(fact)
        return len(self.facts) - 1

    def note_comment(self, node: Node) -> None:
        """Remember a comment as the doc of what may follow on the next line.

        A comment after code on its line is about that code, not about what follows.
        """
        row, column = node.start_point
        before = self.data[node.start_byte - min(column, _INDENT_BYTES) : node.start_byte]
        if before.strip(b" \t\xef\xbb\xbf"):
            return
        start, _, last_row = self._comment
        end_row = node.end_point[0] - (node.end_point[1] == 0)
        joined = row == last_row + 1
        self._comment = (start if joined else node.start_byte, node.end_byte, end_row)

    def bridge_comment(self, node: Node) -> None:
        """Let a node, for example an attribute, stand between a definition and the comment before it."""
        start, end, last_row = self._comment
        if last_row >= 0 and node.start_point[0] == last_row + 1:
            self._comment = (start, end, node.end_point[0])

    def _comment_before(self, row: int) -> Span | None:
        start, end, last_row = self._comment
        return Span(start, end) if last_row >= 0 and last_row == row - 1 else None

    def walk(self, start: Tree | Node, actions: Mapping[int, Action], fields: Sequence[str | None]) -> None:
        """Walk a whole tree, or all below a node, once.

        The loop is iterative, because sources nest deeper than Python's stack, and repeats itself a little,
        because it runs for every token: the nodes without an action are by far the most.

        Args:
            start: The tree, or the node.
            actions: What to do, by kind of node.
            fields: Name of each field of the grammar, by its number.
        """
        cursor = start.walk()
        to_child, to_sibling, to_parent = (
            cursor.goto_first_child,
            cursor.goto_next_sibling,
            cursor.goto_parent,
        )
        scopes, find = self._scopes, actions.get
        opened: list[Action | None] = []  # what is done with the nodes that the cursor is inside of
        values: Values = []
        frames: list[Values] = []  # the values of the nodes around the nearest one with a ``leave``
        while True:
            node: Node = cursor.node  # type: ignore[assignment]
            action = find(node.kind_id)
            if action is None:
                if to_child():
                    opened.append(None)
                    continue
            else:
                enter, leave, descends, _ = action
                if enter is not None:
                    count = len(scopes)
                    enter(self, node)
                    if len(scopes) != count:
                        action = Action(enter, leave, descends, count)
                if descends and to_child():
                    opened.append(action)
                    if leave is not None:
                        frames.append(values)
                        values = []
                    continue
                if leave is not None and (value := leave(self, node, [])) is not None:
                    values.append((fields[cursor.field_id or 0], value))
                if action.outer_scopes >= 0:
                    self._close_scopes(action.outer_scopes)
            while not to_sibling():
                if not to_parent():
                    return
                action = opened.pop()
                if action is not None:
                    leave = action.leave
                    if leave is not None:
                        value = leave(self, cursor.node, values)  # type: ignore[arg-type]
                        values = frames.pop()
                        if value is not None:
                            values.append((fields[cursor.field_id or 0], value))
                    if action.outer_scopes >= 0:
                        self._close_scopes(action.outer_scopes)

    def count_error(self, node: Node) -> None:
        """Count what the parser could not place in a construct."""
        self._errors += 1

    def _close_scopes(self, count: int) -> None:
        """Leave the scopes that were opened above ``count`` of them."""
        self.scope = self._scopes[count]
        del self._scopes[count:]

    def finish(self, language: str, *, has_error: bool) -> Extraction:
        """The extraction, with overloads told apart."""
        # A missing token is an error that leaves no ERROR node.
        errors = max(self._errors, int(has_error))
        return Extraction(
            language,
            _disambiguate(self._symbols, self._overloads),
            tuple(self._references),
            tuple(self._imports),
            tuple(self.facts),
            errors,
        )


def first_named(node: Node | None) -> Node | None:
    """The first named child; None where there is none, where ``Node.named_child(0)`` would raise."""
    return node.named_child(0) if node is not None and node.named_child_count else None


class Action(NamedTuple):
    """What a walk does at the nodes of one kind.

    Attributes:
        enter, leave, descends: As in `Language`.
        outer_scopes: Number of scopes around the node, of a node that opens one; else -1.
    """

    enter: Enter | None
    leave: Leave | None
    descends: bool
    outer_scopes: int = -1


def _disambiguate(symbols: list[Symbol], sizes: Mapping[str, int]) -> tuple[Symbol, ...]:
    seen: Counter[tuple[str, str]] = Counter()
    result = []
    for symbol in symbols:
        if sizes[symbol.descriptor] > 1:
            digest = _digest(symbol.signature.encode())[:8]
            repetition = seen[symbol.descriptor, digest]
            seen[symbol.descriptor, digest] += 1
            symbol = symbol._replace(disambiguator=digest + (f"+{repetition}" if repetition else ""))
        result.append(symbol)
    return tuple(result)


def _escape(name: str) -> str:
    """A name as SCIP writes it: in backticks unless it is made of plain characters.

    >>> _escape("total"), _escape("operator +"), _escape("a`b")
    ('total', '`operator +`', '`a``b`')
    """
    return name if _PLAIN_NAME.match(name) else "`" + name.replace("`", "``") + "`"


def _collapse(raw: bytes) -> str:
    return " ".join(raw.decode("utf-8", "backslashreplace").split())


def _digest(raw: bytes) -> str:
    return hashlib.blake2b(raw, digest_size=16).hexdigest()


def _blank(text: bytes, name: bytes) -> bytes:
    """The text with each occurrence of the name as a whole word left out.

    >>> _blank(b"def add(n): return add(n - 1) + added", b"add")
    b'def (n): return (n - 1) + added'
    """
    if not name:
        return text
    pieces = text.split(name)
    result = [pieces[0]]
    for before, after in itertools.pairwise(pieces):
        inside = (before and before[-1] in _WORD) or (after and after[0] in _WORD)
        result += (name, after) if inside else (after,)
    return b"".join(result)
