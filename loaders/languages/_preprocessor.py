"""What the grammars of C and C++ cannot read of a source that has not been through the preprocessor.

Nothing is expanded: what misleads the grammar is blanked, at the same offsets. Which names are macros is told by how
they are written, in capitals, and by where they stand, since the file that defines them may be any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["blank"]

_INVOKED = rb"[A-Z][A-Z0-9_]{2,}+(?:[ \t]*+\([^()\n;{}]*+(?:\([^()\n;{}]*+\)[^()\n;{}]*+)*+\))?"
"""A name in capitals, perhaps with arguments on the same line. No repetition gives back, so that no text takes long."""

_USE = re.compile(_INVOKED)
_MACRO_LINE = re.compile(rb"^[ \t]*+" + _INVOKED + rb"[ \t\r]*+$", re.MULTILINE)
_ATTRIBUTE = re.compile(
    rb"\b([A-Z][A-Z0-9_]*_(?:API|EXPORTS?|INLINE|PUBLIC|CONSTEXPR\d*|CONSTEVAL|EXTERN|NODISCARD|NORETURN|"
    rb"VISIBILITY|UNUSED|DECL|LIFETIMEBOUND)_?)(?=[ \t]+[A-Za-z_~]|[ \t]*;)"
)
_OF_A_TYPE = re.compile(
    rb"\b(?:class|struct|union|enum)[ \t]++("
    + _INVOKED
    + rb")(?=[ \t]++[A-Za-z_][\w:]*+(?:<[^<>;(){}]*+>)?\s*+(?:final\b|[{:]))"
)
_AS_A_TYPE = re.compile(rb"\btypedef[ \t]+[A-Z][A-Z0-9_]{2,}+[ \t]*+(\([^()\n;{}]*+\))(?=[ \t]++\w)")
_AFTER_A_DECLARATOR = re.compile(
    rb"(?<=[\w)\]])[ \t\r\n]++(" + _INVOKED + rb"(?:[ \t\r\n]++" + _INVOKED + rb"){0,3}+)"
    rb"(?=\s*+(?:[;{]|=[^=]|:[^:]|override\b|final\b|noexcept\b))"
)
_BEFORE_A_DECLARATION = re.compile(
    rb"(?<![\w#:.>~&*(,])(" + _INVOKED + rb")[ \t\r\n]++"
    rb"(?=(?!(?:const|volatile|operator|return|else|restrict|[A-Z][A-Z0-9_]*)\b)"
    rb"(?:[A-Za-z_][\w:]*+(?:<[^<>;(){}]*+>)?[ \t\r\n*&]++){1,6}[A-Za-z_]\w*+[ \t]*+[(;=\[{]"
    rb"|operator[ \t]++(?!new\b|delete\b)[A-Za-z_])"
)
_NOT_IN_THE_GRAMMAR = re.compile(
    rb"\btypename[ \t]++(::)|\benum[ \t]*+(:[ \t]*+[\w:]++(?:[ \t]++\w++)*+)[ \t\r\n]*+\{"
)
"""A type from the outermost namespace; the type of the values of an enumeration that has no name."""

_OF_MEMBERS = re.compile(rb"\b(?:struct|union|class)\b[^;{}()]*+\{\s*+\Z")
_CONTEXT_BYTES = 1000
_NO_LINE_END = re.compile(rb"[^\r\n]")

_TEMPLATE_ARGUMENTS = re.compile(rb"<[^<>;(){}]*>")
_PARENTHESES = re.compile(rb"\([^()]*+\)")
_WORDS = re.compile(rb"[A-Za-z_]\w*|[*&]")
_NOT_DECLARATIVE = re.compile(
    rb"\b(?:return|else|if|while|for|do|switch|case|goto|throw|new|delete|sizeof|using|namespace|operator|enum)\b"
    rb"|[=.?!+/|%^()-]"
)
_NO_TYPE = frozenset(
    b"static extern inline const constexpr volatile virtual explicit friend typedef template typename mutable"
    b" register thread_local auto".split()
)
_NO_NAME = _NO_TYPE | frozenset(
    b"void int char short long unsigned signed float double bool struct class union public private protected".split()
)
_ELABORATED = frozenset({b"struct", b"class", b"union"})


def blank(data: bytes) -> bytes:
    """Blank what misleads the grammars of C and C++, at the same offsets.

    Macros that stand for attributes or for nothing, which would be taken for types or functions: those alone on a line
    between declarations, those behind ``class`` and ``struct``, those between a declarator and its end, and those in
    front of a declaration that is whole without them. And directives around code that opens what it does not close,
    or in the middle of a statement: of their branches the first is kept.

    >>> blank(b"int a;\\nBEGIN_DECLS\\nLIB_API int f() GUARDED(a);\\nenum { A,\\nLAST\\n};")
    b'int a;\\n           \\n        int f()           ;\\nenum { A,\\nLAST\\n};'
    >>> blank(b"#ifdef A\\nif (a) {\\n#else\\nif (b) {\\n#endif\\n}")
    b'        \\nif (a) {\\n     \\n        \\n      \\n}'
    """
    result = bytearray(_CONDITION.sub(_as_true, data))
    for spans in (_comments_of_directives, _macro_lines, _conditionals, _macros):
        for start, end in spans(bytes(result)):
            _blank(result, start, end)
    return bytes(result)


def _blank(data: bytearray, start: int, end: int) -> None:
    """Replace all but line ends by spaces."""
    data[start:end] = _NO_LINE_END.sub(b" ", bytes(data[start:end]))


def _as_true(match: re.Match[bytes]) -> bytes:
    """A condition that the grammar can read: which one it is does not matter."""
    return match[1] + b"1" + _NO_LINE_END.sub(b" ", match[2][1:])


def _code(data: bytes) -> bytes:
    """A source with spaces for comments and strings, and ``#`` and spaces for directives."""
    return _NO_CODE.sub(_mask, data)


def _mask(match: re.Match[bytes]) -> bytes:
    text = _NO_LINE_END.sub(b" ", match[0])
    return b"#" + text[1:] if match[0].lstrip(b" \t").startswith(b"#") else text


def _comments_of_directives(data: bytes) -> Iterator[tuple[int, int]]:
    """Comments inside of directives, at which the grammar ends a macro's text."""
    for directive in _NO_CODE.finditer(data):
        if b"/*" in directive[0] and directive[0].lstrip().startswith(b"#"):
            at = data.find(b"/*", *directive.span())
            while at >= 0 and (comment := _COMMENT.match(data, at)):
                yield comment.span()
                at = data.find(b"/*", comment.end(), directive.end())


def _macros(data: bytes) -> Iterator[tuple[int, int]]:
    """Macros that the grammar would take for a part of the declaration that they stand by."""
    code = _code(data)
    for rule in (_ATTRIBUTE, _OF_A_TYPE, _AS_A_TYPE, _NOT_IN_THE_GRAMMAR):
        yield from (match.span(match.lastindex or 0) for match in rule.finditer(code))
    for match in _AFTER_A_DECLARATOR.finditer(code):
        for name in _USE.finditer(code, *match.span(1)):
            if _is_declarator(_statement_before(code, name.start())):
                yield name.start(), match.end(1)
                break
    for match in _BEFORE_A_DECLARATION.finditer(code):
        if _is_start(_statement_before(code, match.start(1))):
            yield match.span(1)


def _macro_lines(data: bytes) -> Iterator[tuple[int, int]]:
    """Macros alone on a line, after what ends a declaration and before what may start one.

    One before a brace is the head of a function, and one at the end of a struct declares members, unless they have
    arguments: then the grammar can read them.
    """
    code = _code(data)
    last, end_before = 0, b";"
    for match in _MACRO_LINE.finditer(code):
        start, end = match.span()
        ending = code[last:start].rstrip()[-1:] or end_before
        follower = code[end : end + _CONTEXT_BYTES].lstrip()[:1]
        is_word = b"(" not in match[0]
        is_head = is_word and follower == b"{" and ending in b";}#"
        is_last = is_word and follower == b"}" and (ending == b";" or _OF_MEMBERS.search(code, last, start))
        is_blank = ending in b";}{:#" and (
            is_head or is_last or follower not in (b"}", b",", b"=", b";", b"{")
        )
        last, end_before = end, b";" if is_blank else b"?"
        if is_blank:
            yield start, end


def _statement_before(code: bytes, end: int) -> bytes:
    """What a statement or declaration says up to a place, without template arguments."""
    text = re.split(rb"[;{}#]|(?<!:):(?!:)", code[max(0, end - _CONTEXT_BYTES) : end])[-1]
    return _TEMPLATE_ARGUMENTS.sub(b" ", _TEMPLATE_ARGUMENTS.sub(b" ", text))


def _is_declarator(text: bytes) -> bool:
    """Whether a declaration is whole up to its last name: a type and a name, or a function with its parameters.

    >>> [_is_declarator(text) for text in (b"int *a", b"State run(int a)", b"unsigned int", b"return f(a)", b"f(a, b")]
    [True, True, False, False, False]
    """
    for _ in range(4):
        text = _PARENTHESES.sub(b"[]", text)
    head, _, _ = text.strip().partition(b"[]")
    if _NOT_DECLARATIVE.search(text):
        return False
    words = _joined(_WORDS.findall(head))
    if b"[]" in text:
        return bool(words) and words[-1] not in _NO_NAME and not (words[-1].isupper() and len(words) == 1)
    types = [word for word in words[:-1] if word not in _NO_TYPE and not word.startswith(b"__")]
    return bool(types) and words[-1] not in (*_NO_NAME, b"*", b"&") and not words[-1].isupper()


def _joined(words: list[bytes]) -> list[bytes]:
    """Words of a declaration, ``struct a`` as one."""
    joined: list[bytes] = []
    for word in words:
        if joined and joined[-1] in _ELABORATED and word not in (b"*", b"&"):
            joined[-1] += b" "
        else:
            joined.append(word)
    return [b"int" if word.endswith(b" ") else word for word in joined]


def _is_start(text: bytes) -> bool:
    """Whether a declaration may start after what a statement says so far: nothing, or words such as ``static``."""
    return all(word in _NO_TYPE for word in _WORDS.findall(text)) and not re.search(rb"[^\w\s]", text)


@dataclass(slots=True)
class _Branch:
    """One branch of a conditional: the span of its directive, and how many braces its code leaves open."""

    start: int
    end: int
    opened: int = 0


_DIRECTIVE = rb"(?:[^\n\\]|\\\r?\n|\\.)*+"
_BLOCK_COMMENT = rb"/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
_COMMENT = re.compile(_BLOCK_COMMENT)
_CONDITIONAL = re.compile(rb"^[ \t]*+#[ \t]*+(if|ifdef|ifndef|elif|else|endif)\b" + _DIRECTIVE, re.MULTILINE)
_CONDITION = re.compile(rb"^([ \t]*+#[ \t]*+(?:el)?if\b[ \t]*+)(?=\S)(" + _DIRECTIVE + rb")", re.MULTILINE)
_NO_CODE = re.compile(
    rb"//[^\n]*+|"
    + _BLOCK_COMMENT
    + rb"|\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.){1,8}+'|^[ \t]*+#"
    + _DIRECTIVE,
    re.DOTALL | re.MULTILINE,
)
_BODY = re.compile(rb"[\s#]*+\{")
_CONTROL = re.compile(rb"\s*(?:else\b\s*)?(?:if|while|for|switch)\b")
_LABEL = re.compile(rb"(?:\b(?:public|private|protected|default)|\bcase\b[^;{}:]*)\s*:$")


def _conditionals(data: bytes) -> Iterator[tuple[int, int]]:
    """Conditionals that the grammar has no place for: their directives, and all branches but the first.

    They open braces that they do not close, or stand in the middle of a statement.
    """
    code = _code(data)
    conditionals: list[list[_Branch]] = []
    last = 0
    for match in _CONDITIONAL.finditer(data):
        start, end = match.span()
        if conditionals:
            conditionals[-1][-1].opened += code.count(b"{", last, start) - code.count(b"}", last, start)
        last = end
        if match[1].startswith(b"if"):
            conditionals.append([_Branch(start, end)])
        elif conditionals and match[1] != b"endif":
            conditionals[-1].append(_Branch(start, end))
        elif conditionals:
            first, *others = conditionals.pop()
            if conditionals:
                conditionals[-1][-1].opened += first.opened
            opened = first.opened or any(branch.opened for branch in others)
            ends = [branch.start for branch in others] + [start]
            if opened or any(_is_open(code, at, bool(others)) for at in (first.start, *ends)):
                yield first.start, first.end
                yield (others[0].start if others else start), end


def _is_open(code: bytes, at: int, has_others: bool) -> bool:
    """Whether a place is in the middle of a statement.

    After a comma it may be between enumerators: where there are several branches, none of them may be lost.
    """
    before = code[max(0, at - _CONTEXT_BYTES) : at].rstrip(b"# \t\r\n")
    if before.endswith(b","):
        return not has_others
    if before.endswith(b")"):
        return bool(_CONTROL.match(_statement_before(code, at)) or _BODY.match(code, at))
    return bool(before) and before[-1:] not in b";{}>" and not _LABEL.search(before[-100:])
