"""Files that a shell command names as read or written, as far as its words alone can say.

Nothing is run and nothing expanded: a word with a variable, a substitution or a pattern names no file that is known
here, and after a change of folder that cannot be followed neither does a relative path. What a command does to its
operands is told by the tables below; of a command that is in none of them only the redirections count. The grammar is
that of the POSIX shell, sections 2.2 to 2.10 of its Shell Command Language, without its arithmetic.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from loaders.transcripts.shell import Simple, simple_commands

__all__ = ["command_touches"]

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_MAX_BYTES = 1 << 16
"""A longer command is a program of its own."""

_MAX_DEPTH = 3
"""Most shells that a command may start inside of each other."""

_KEYWORDS = frozenset({"!", "{", "}", "do", "done", "elif", "else", "fi", "if", "then", "until", "while"})
_LOOPS = frozenset({"case", "for", "function", "select"})
_WRAPPERS = {
    "builtin": "",
    "command": "",
    "doas": "u",
    "env": "uSC",
    "exec": "a",
    "ionice": "cn",
    "nice": "n",
    "nohup": "",
    "stdbuf": "ioe",
    "sudo": "ugCDhpRrTtU",
    "time": "fo",
    "timeout": "ks",
}
"""Commands that run the one after them, with those of their options that take a value."""

_SHELLS = frozenset({"bash", "dash", "ksh", "sh", "zsh"})

Touches = Iterator[tuple[str, str]]


def command_touches(command: str) -> list[tuple[str, str]]:
    """Paths with the access, ``read`` or ``write``, each once in the order in which the command names them.

    Args:
        command: The command as the shell gets it. Paths stay as written, but for folders that it changed to before.

    >>> command_touches("cd src && sed -i 's/a/b/' main.go > /dev/null; cp main.go $HOME/x")
    [('src/main.go', 'write'), ('src/main.go', 'read')]
    >>> command_touches("cat <<'EOF' > notes.md\\nrm everything\\nEOF\\n")
    [('notes.md', 'write')]
    """
    return list(dict.fromkeys(_touches(command, 0)))


def _touches(command: str, depth: int) -> Touches:
    if len(command) > _MAX_BYTES or depth > _MAX_DEPTH:
        return
    folders: list[str | None] = [""]
    for item in simple_commands(command):
        if item == "(":
            folders.append(folders[-1])
        elif item == ")":
            if len(folders) > 1:
                folders.pop()
        elif isinstance(item, Simple):
            yield from _of_simple(item, folders, depth)


def _of_simple(simple: Simple, folders: list[str | None], depth: int) -> Touches:
    """What a simple command touches; one that changes the folder changes the last of ``folders``."""
    words = _unwrapped(simple.words)
    name = posixpath.basename(words[0] or "") if words else ""
    found: list[tuple[str | None, str]] = []
    if name in ("cd", "pushd"):
        target = next((word for word in words[1:] if word is None or not word.startswith("-")), "~")
        folders[-1] = _joined(folders[-1], target)
    elif name in _SHELLS:
        found += _of_shell(words, depth)
    elif name in _COMMANDS:
        found += _COMMANDS[name](words[1:])
    for word, access in (*found, *simple.redirected):
        path = _joined(folders[-1], word)
        if path and _is_file(path):
            yield path, access


def _of_shell(words: Sequence[str | None], depth: int) -> Iterator[tuple[str | None, str]]:
    """A shell runs its script, or what follows ``-c``."""
    for index, word in enumerate(words[1:], 1):
        if word is None or not word.startswith("-"):
            yield word, "read"
            return
        if not word.startswith("--") and "c" in word:
            script = next((each for each in words[index + 1 :] if each is None or each[:1] != "-"), None)
            yield from _touches(script or "", depth + 1)
            return


def _is_file(path: str) -> bool:
    return not path.startswith(("/dev/", "/proc/")) and posixpath.basename(path) not in ("", ".", "..", "-")


def _joined(folder: str | None, word: str | None) -> str | None:
    """A path seen from where the command began, None where that is not known."""
    if word is None or word.startswith("~"):
        return None
    if folder is None and not word.startswith("/"):
        return None
    return posixpath.normpath(posixpath.join(folder or "", word)) + "/" * word.endswith("/") if word else word


def _unwrapped(words: Sequence[str | None]) -> Sequence[str | None]:
    """The words from the command's name on, without keywords, assignments and commands that run it."""
    start = 0
    while start < len(words):
        word = words[start]
        if word is None or word in _LOOPS:
            return ()
        if word in _WRAPPERS:
            start = _after_options(words, start + 1, _WRAPPERS[word]) + (word == "timeout")
        elif word in _KEYWORDS or _ASSIGNMENT.match(word):
            start += 1
        else:
            return words[start:]
    return ()


def _after_options(words: Sequence[str | None], start: int, valued: str) -> int:
    while start < len(words) and (word := words[start]) and word.startswith("-"):
        start += 1 + (len(word) == 2 and word[1] in valued)
    return start


# What commands do to their operands


@dataclass(frozen=True, slots=True)
class _Arguments:
    """The operands of a command, its options, and the values of options that take one."""

    operands: list[str | None]
    options: set[str]
    values: dict[str, list[str | None]]


def _arguments(words: Sequence[str | None], valued: str = "", long: Sequence[str] = ()) -> _Arguments:
    """Take apart the words after a command's name.

    Args:
        words: The words.
        valued: Short options that take a value.
        long: Long options that take one as the next word.
    """
    found = _Arguments([], set(), {})
    pending: str | None = None
    for index, word in enumerate(words):
        if pending is not None:
            found.values.setdefault(pending, []).append(word)
            pending = None
        elif word == "--":
            found.operands.extend(words[index + 1 :])
            break
        elif word is None or not word.startswith("-") or word == "-":
            found.operands.append(word)
        elif word.startswith("--"):
            name, sign, value = word.partition("=")
            found.options.add(name)
            if sign:
                found.values.setdefault(name, []).append(value)
            elif name in long:
                pending = name
        else:
            pending = _short(word, valued, found)
    return found


def _short(word: str, valued: str, found: _Arguments) -> str | None:
    """Options in one word; the one whose value is the next word, if there is one."""
    for index, letter in enumerate(word[1:], 2):
        found.options.add("-" + letter)
        if letter in valued:
            if index == len(word):
                return "-" + letter
            found.values.setdefault("-" + letter, []).append(word[index:])
            return None
    return None


Found = Iterator[tuple[str | None, str]]


def _all(access: str, valued: str = "", long: Sequence[str] = ()) -> Callable[[Sequence[str | None]], Found]:
    """Every operand is a file."""

    def touches(words: Sequence[str | None]) -> Found:
        for operand in _arguments(words, valued, long).operands:
            yield operand, access

    return touches


def _after_first(
    valued: str, given: Sequence[str], long: Sequence[str] = ()
) -> Callable[[Sequence[str | None]], Found]:
    """Every operand is a file that is read, but for the first, unless one of the options ``given`` stands for it."""

    def touches(words: Sequence[str | None]) -> Found:
        said = _arguments(words, valued, long)
        for operand in said.operands[0 if said.options & set(given) else 1 :]:
            yield operand, "read"

    return touches


def _rewriting(
    flags: Sequence[str], valued: str = "", long: Sequence[str] = ()
) -> Callable[[Sequence[str | None]], Found]:
    """Every operand is a file, written where one of the options is given, else read."""

    def touches(words: Sequence[str | None]) -> Found:
        said = _arguments(words, valued, long)
        for operand in said.operands:
            yield operand, "write" if said.options & set(flags) else "read"

    return touches


def _move(words: Sequence[str | None]) -> Found:
    sources, targets = _sources_and_targets(words)
    for path in (*sources, *targets):
        yield path, "write"


def _copy(words: Sequence[str | None]) -> Found:
    sources, targets = _sources_and_targets(words)
    for path in sources:
        yield path, "read"
    for path in targets:
        yield path, "write"


def _link(words: Sequence[str | None]) -> Found:
    for path in _sources_and_targets(words)[1]:
        yield path, "write"


def _sources_and_targets(words: Sequence[str | None]) -> tuple[list[str | None], list[str | None]]:
    """Operands before the last, and what they become: the last one, or files in it where it is a folder."""
    said = _arguments(words, "tSmog", ("--target-directory", "--suffix", "--mode", "--owner", "--group"))
    folder = (said.values.get("-t") or said.values.get("--target-directory") or [""])[0]
    if folder == "" and len(said.operands) < 2:
        return said.operands, []
    sources = said.operands if folder != "" else said.operands[:-1]
    target = folder if folder != "" else said.operands[-1]
    if folder == "" and len(sources) == 1 and (target is None or not target.endswith("/")):
        return sources, [target]
    return sources, [_inside(target, source) for source in sources]


def _inside(folder: str | None, source: str | None) -> str | None:
    if folder is None or source is None:
        return None
    return posixpath.join(folder, posixpath.basename(source.rstrip("/")))


def _sed(words: Sequence[str | None]) -> Found:
    """The script is the first operand unless ``-e`` or ``-f`` gives it; ``-i`` writes, on BSD with a word after it."""
    is_bsd = any(word == "-i" and following == "" for word, following in pairwise(words))
    said = _arguments(
        [word for word in words if not (is_bsd and word == "")], "efl", ("--expression", "--file")
    )
    in_place = "-i" in said.options or "--in-place" in said.options
    has_script = said.options & {"-e", "-f", "--expression", "--file"}
    for operand in said.operands[0 if has_script else 1 :]:
        yield operand, "write" if in_place else "read"


def _perl(words: Sequence[str | None]) -> Found:
    said = _arguments([word for word in words if word is None or not word.startswith("-i")], "eEIMm")
    in_place = any(word and re.match(r"-\w*i", word) for word in words)
    for operand in said.operands[0 if said.options & {"-e", "-E"} else 1 :]:
        yield operand, "write" if in_place else "read"


def _sort(words: Sequence[str | None]) -> Found:
    said = _arguments(words, "okStT", ("--output",))
    for operand in said.operands:
        yield operand, "read"
    for path in said.values.get("-o", said.values.get("--output", [])):
        yield path, "write"


def _download(option: str, long: str) -> Callable[[Sequence[str | None]], Found]:
    def touches(words: Sequence[str | None]) -> Found:
        said = _arguments(words, "AbcdeFHmoOPQrtTuUwXx", (long,))
        for path in said.values.get(option, said.values.get(long, [])):
            yield path, "write"

    return touches


def _dd(words: Sequence[str | None]) -> Found:
    for word in words:
        key, sign, path = (word or "").partition("=")
        if sign and key in ("if", "of"):
            yield path, "read" if key == "if" else "write"


def _patch(words: Sequence[str | None]) -> Found:
    said = _arguments(words, "dDFgiorpYzB", ("--input",))
    for path in said.values.get("-i", said.values.get("--input", [])):
        yield path, "read"
    for operand in said.operands[:1]:
        yield operand, "write"


def _git(words: Sequence[str | None]) -> Found:
    """What changes files of the work tree; ``git -C`` works in another folder."""
    said = _arguments(words[: _after_options(words, 0, "Cc")], "Cc")
    folder: str | None = ""
    for value in said.values.get("-C", []):
        folder = _joined(folder or "", value)
    rest = words[_after_options(words, 0, "Cc") :]
    handler = _GIT.get(rest[0] or "") if rest else None
    for path, access in handler(rest[1:]) if handler else ():
        yield _joined(folder, path) if folder != "" else path, access


def _git_rm(words: Sequence[str | None]) -> Found:
    said = _arguments(words)
    for operand in () if "--cached" in said.options else said.operands:
        yield operand, "write"


def _git_checkout(words: Sequence[str | None]) -> Found:
    for path in words[words.index("--") + 1 :] if "--" in words else ():
        yield path, "write"


def _git_restore(words: Sequence[str | None]) -> Found:
    said = _arguments(words, "s", ("--source",))
    is_index_only = said.options & {"-S", "--staged"} and not said.options & {"-W", "--worktree"}
    for operand in () if is_index_only else said.operands:
        yield operand, "write"


_GIT: Mapping[str, Callable[[Sequence[str | None]], Found]] = {
    "am": _all("read"),
    "apply": _all("read", "pC"),
    "checkout": _git_checkout,
    "mv": _move,
    "restore": _git_restore,
    "rm": _git_rm,
}
_SEARCH = _after_first("efmABCgtTd", ("-e", "-f", "--regexp", "--file"), ("--regexp", "--file", "--glob"))


def _jq(words: Sequence[str | None]) -> Found:
    """Variables take two words each, and files may follow ``--args``: then no operand is surely a file."""
    has_variables = any(word and word.startswith(("--arg", "--slurpfile", "--rawfile")) for word in words)
    if not has_variables:
        yield from _after_first("fL", ("-f", "--from-file"))(words)


def _grep(words: Sequence[str | None]) -> Found:
    """Whoever searches below folders names none of the files."""
    if not any(word and re.match(r"-\w*[rR]|--recursive", word) for word in words):
        yield from _SEARCH(words)


_COMMANDS: Mapping[str, Callable[[Sequence[str | None]], Found]] = {
    ".": lambda words: ((word, "read") for word in words[:1]),
    "awk": _after_first("fvF", ("-f",)),
    "base64": _all("read", "w"),
    "bat": _all("read", "lrH"),
    "black": _all("write", "lt"),
    "cat": _all("read"),
    "cmp": _all("read", "in"),
    "comm": _all("read"),
    "cp": _copy,
    "curl": _download("-o", "--output"),
    "cut": _all("read", "bcdf"),
    "dd": _dd,
    "diff": _all("read", "UCILW"),
    "egrep": _grep,
    "fgrep": _grep,
    "gawk": _after_first("fvF", ("-f",)),
    "git": _git,
    "gofmt": _rewriting(("-w",), "r"),
    "goimports": _rewriting(("-w",)),
    "grep": _grep,
    "gsed": _sed,
    "head": _all("read", "nc"),
    "hexdump": _all("read", "nsef"),
    "install": _copy,
    "jq": _jq,
    "less": _all("read"),
    "ln": _link,
    "md5sum": _all("read"),
    "more": _all("read"),
    "mv": _move,
    "nl": _all("read", "bfhilnpsvw"),
    "od": _all("read", "AjNtw"),
    "patch": _patch,
    "perl": _perl,
    "prettier": _rewriting(("-w", "--write"), "", ("--config", "--parser")),
    "rg": _SEARCH,
    "rm": _all("write"),
    "rustfmt": _all("write", "", ("--edition", "--config")),
    "sed": _sed,
    "sha1sum": _all("read"),
    "sha256sum": _all("read"),
    "shasum": _all("read", "a"),
    "shfmt": _rewriting(("-w",), "i"),
    "shred": _all("write", "ns"),
    "sort": _sort,
    "source": lambda words: ((word, "read") for word in words[:1]),
    "strings": _all("read", "nte"),
    "tac": _all("read"),
    "tail": _all("read", "nc"),
    "tee": _all("write"),
    "touch": _all("write", "drt", ("--date", "--reference")),
    "truncate": _all("write", "sr"),
    "uniq": _all("read", "fsw"),
    "unlink": _all("write"),
    "wc": _all("read"),
    "wget": _download("-O", "--output-document"),
    "xxd": _all("read", "cgls"),
    "yq": _jq,
    "zcat": _all("read"),
}
