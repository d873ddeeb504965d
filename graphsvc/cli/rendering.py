"""A session as text for a terminal, as Markdown, or as one HTML page that needs nothing from elsewhere."""

from __future__ import annotations

import difflib
import html
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import click

from graphsvc.cli.output import printable
from queries.transcripts import Call, Message, Transcript, Turn

__all__ = ["render", "with_turns"]

_FOLDED_LINES = 6
_FOLDED_WIDTH = 160
_TOLD_SECONDS = 1.0
"""How long a call has to take for its duration to be worth telling."""
_REPLACEMENTS = (
    ("old_string", "new_string"),
    ("oldString", "newString"),
    ("old_str", "new_str"),
    ("oldText", "newText"),
)
_MARKS = {"person": "❯", "model": "●", "thinking": "∴", "host": "·", "summary": "≡", "title": "≡"}
_COLOURS = {
    "added": "green",
    "removed": "red",
    "place": "cyan",
    "person": "bright_blue",
    "host": "bright_black",
}
_DIM = frozenset({"thinking", "host", "plain"})


class _Line(NamedTuple):
    """A line of a diff or of an answer, and what it is: added, removed, place or plain."""

    kind: str
    text: str


class _Writer(Protocol):
    """What differs between the forms."""

    def heading(self, level: int, text: str) -> str: ...
    def text(self, level: int, kind: str, text: str) -> str: ...
    def call(
        self, level: int, title: str, failed: bool | None, given: Sequence[_Line], got: Sequence[_Line]
    ) -> str: ...


def with_turns(transcript: Transcript, turns: Sequence[Turn]) -> Transcript:
    """The transcript with those turns only."""
    return replace(transcript, turns=turns, children=())


def render(
    transcript: Transcript,
    nested: Mapping[str, Transcript],
    form: str,
    *,
    is_full: bool = False,
    has_colours: bool = False,
) -> str:
    """A session for reading.

    Args:
        transcript: The session.
        nested: Sessions of subagents by id, those that are at hand.
        form: ``text``, ``markdown`` or ``html``.
        is_full: Show inputs and answers of tool calls whole.
        has_colours: Colour text for a terminal.
    """
    writers: dict[str, _Writer] = {"text": _Text(has_colours), "markdown": _Markdown(), "html": _Html()}
    writer = writers[form]
    body = "".join(_session(transcript, nested, writer, 0, is_full or form == "html"))
    return _page(transcript, body) if form == "html" else body


def _session(
    transcript: Transcript, nested: Mapping[str, Transcript], writer: _Writer, level: int, is_full: bool
) -> Iterator[str]:
    yield writer.heading(level, _title(transcript))
    for turn in transcript.turns:
        if turn.ordinal:
            abandoned = " (abandoned: the session went on from before it)" if turn.is_abandoned else ""
            yield writer.heading(level + 1, f"Turn {turn.ordinal}{abandoned}")
        for item in turn.items:
            if isinstance(item, Call):
                yield from _called(item, nested, writer, level + 1, is_full)
            elif item.text:
                yield writer.text(level + 1, _kind(item), item.text)
    for key in transcript.children:
        yield from _child(key, nested, writer, level + 1, is_full)


def _title(transcript: Transcript) -> str:
    head = transcript.head
    known = (
        head.title,
        head.agent,
        ", ".join(head.models or ()),
        head.branch,
        head.started_at.strftime("%Y-%m-%d %H:%M") if head.started_at else None,
        f"{head.compactions} compactions" if head.compactions else None,
    )
    return " · ".join((f"Session {transcript.session}", *filter(None, known)))


def _kind(message: Message) -> str:
    if message.channel in ("thinking", "summary", "title"):
        return message.channel
    if message.origin == "injected":
        return "host"
    return "person" if message.role == "user" else "model"


def _called(
    call: Call, nested: Mapping[str, Transcript], writer: _Writer, level: int, is_full: bool
) -> Iterator[str]:
    given = list(_given(call))
    got = [_Line("plain", line) for line in (call.answer or "").splitlines()]
    if not is_full:
        given, got = _folded(given), _folded(got)
    yield writer.call(level, _summary(call), call.failed, given, got)
    for key in call.children:
        yield from _child(key, nested, writer, level + 1, is_full)


def _child(
    key: str, nested: Mapping[str, Transcript], writer: _Writer, level: int, is_full: bool
) -> Iterator[str]:
    if key in nested:
        rest = {other: each for other, each in nested.items() if other != key}
        yield from _session(nested[key], rest, writer, level, is_full)
    else:
        yield writer.text(level, "host", f"subagent {key}: the store has no transcript of it")


def _summary(call: Call) -> str:
    what = (
        call.command or call.path or next((str(v) for v in _fields(call).values() if isinstance(v, str)), "")
    )
    line = " ".join(what.split())
    took = f"({call.seconds:.0f} s)" if call.seconds is not None and call.seconds >= _TOLD_SECONDS else ""
    return " ".join(filter(None, (call.name, line[:_FOLDED_WIDTH], took)))


def _fields(call: Call) -> Mapping[str, Any]:
    return call.given if isinstance(call.given, Mapping) else {}


def _given(call: Call) -> Iterator[_Line]:
    """Input of a call: as a diff where it replaces text, as a text where it is one, else as JSON."""
    fields = _fields(call)
    edits = fields.get("edits") if isinstance(fields.get("edits"), list) else [fields]
    replaced = [pair for edit in edits or () if isinstance(edit, Mapping) and (pair := _replaced(edit))]
    if replaced:
        for old, new in replaced:
            yield from _diff(old, new)
    elif isinstance(call.given, str):
        yield from map(_patch_line, call.given.splitlines())
    elif call.writes and isinstance(content := fields.get("content"), str):
        yield from (_Line("added", f"+{line}") for line in content.splitlines())
    elif isinstance(patch := fields.get("input", fields.get("patch")), str):
        yield from map(_patch_line, patch.splitlines())
    elif call.command:
        yield from (_Line("plain", f"$ {line}") for line in call.command.splitlines())
    elif fields:
        text = json.dumps(fields, indent=1, ensure_ascii=False, default=str)
        yield from (_Line("plain", line) for line in text.splitlines())


def _replaced(edit: Mapping[str, Any]) -> tuple[str, str] | None:
    for names in _REPLACEMENTS:
        old, new = (edit.get(name) for name in names)
        if isinstance(old, str) and isinstance(new, str):
            return old, new
    return None


def _diff(old: str, new: str) -> Iterator[_Line]:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=3)
    return (_patch_line(line) for line in list(lines)[2:])


def _patch_line(line: str) -> _Line:
    kinds = {"+": "added", "-": "removed", "@": "place"}
    return _Line(kinds.get(line[:1], "plain"), line)


def _folded(lines: list[_Line]) -> list[_Line]:
    shown = [line._replace(text=line.text[:_FOLDED_WIDTH]) for line in lines[:_FOLDED_LINES]]
    more = len(lines) - len(shown)
    return [*shown, _Line("place", f"… {more} more lines")] if more else shown


class _Text:
    """Text for a terminal; nothing in it is obeyed by one."""

    def __init__(self, has_colours: bool) -> None:
        self._has_colours = has_colours

    def _style(self, kind: str, text: str, **more: Any) -> str:
        shown = printable(text, keep="\n\t")
        if not self._has_colours:
            return shown
        return click.style(shown, fg=_COLOURS.get(kind), dim=kind in _DIM, **more)

    def _block(self, level: int, lines: Sequence[str]) -> str:
        return "".join("  " * level + line + "\n" for line in lines)

    def heading(self, level: int, text: str) -> str:
        return "\n" + self._block(level, [self._style("heading", text, bold=True)])

    def text(self, level: int, kind: str, text: str) -> str:
        first, *rest = text.splitlines() or [""]
        lines = [f"{_MARKS[kind]} {first}", *(f"  {line}" for line in rest)]
        return self._block(level, [self._style(kind, line) for line in lines])

    def call(
        self, level: int, title: str, failed: bool | None, given: Sequence[_Line], got: Sequence[_Line]
    ) -> str:
        mark = {True: "✗", False: "✓", None: "○"}[failed]
        lines = [self._style("removed" if failed else "call", f"{mark} {title}")]
        lines += ["  " + self._style(line.kind, line.text) for line in given]
        lines += ["  ⎿ " + self._style(line.kind, line.text) for line in got]
        return self._block(level, lines)


class _Markdown:
    """Markdown; fences are longer than any in the text."""

    def heading(self, level: int, text: str) -> str:
        return f"\n{'#' * min(level + 1, 6)} {text}\n\n"

    def text(self, level: int, kind: str, text: str) -> str:
        if kind in ("person", "thinking", "host"):
            quoted = "\n".join(f"> {line}" for line in text.splitlines())
            return f"**{kind}**\n\n{quoted}\n\n"
        return f"{text}\n\n"

    def call(
        self, level: int, title: str, failed: bool | None, given: Sequence[_Line], got: Sequence[_Line]
    ) -> str:
        state = {True: " — failed", False: "", None: ""}[failed]
        return (
            f"- `{title.replace('`', chr(39))}`{state}\n\n{self._fence('diff', given)}{self._fence('', got)}"
        )

    def _fence(self, language: str, lines: Sequence[_Line]) -> str:
        if not lines:
            return ""
        body = "\n".join(line.text for line in lines)
        fence = "`" * max(3, 1 + max((len(run) for run in _ticks(body)), default=0))
        return f"{fence}{language}\n{body}\n{fence}\n\n"


def _ticks(text: str) -> Iterator[str]:
    run = ""
    for character in text:
        run = run + character if character == "`" else ""
        if run:
            yield run


class _Html:
    """HTML, in which every text is escaped."""

    def heading(self, level: int, text: str) -> str:
        size = min(level + 1, 6)
        return f"<h{size}>{html.escape(text)}</h{size}>\n"

    def text(self, level: int, kind: str, text: str) -> str:
        body = f"<pre>{html.escape(text)}</pre>"
        if kind in ("thinking", "host", "summary"):
            body = f"<details><summary>{kind}</summary>{body}</details>"
        return f'<div class="{kind}">{body}</div>\n'

    def call(
        self, level: int, title: str, failed: bool | None, given: Sequence[_Line], got: Sequence[_Line]
    ) -> str:
        lines = "".join(
            f'<span class="{line.kind}">{html.escape(line.text)}</span>\n' for line in (*given, *got)
        )
        state = ' class="failed"' if failed else ""
        return f"<details{state}><summary>{html.escape(title)}</summary><pre>{lines}</pre></details>\n"


_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font-family:inherit;margin:.3rem 0}
details pre{font:13px/1.4 ui-monospace,monospace;background:#8881;padding:.5rem}
.person{border-left:4px solid #36c;padding-left:.7rem}.added{color:#080}.removed{color:#b00}.place{color:#077}
.failed>summary{color:#b00}summary{cursor:pointer;overflow-wrap:anywhere}
@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}.added{color:#6c6}.removed{color:#f77}}
"""


def _page(transcript: Transcript, body: str) -> str:
    title = html.escape(f"Session {transcript.session}")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body>\n{body}</body></html>\n"
    )
