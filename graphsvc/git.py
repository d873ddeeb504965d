"""Reading git repositories by running git: the only module that does.

A repository is data. Its own configuration, attributes, hooks, grafts, replacements and commit graph can name
programs, other files and other histories, so git never gets to see them: every command runs in a *view*, a
private folder with our own configuration and links to the repository's objects and references. For the same
reason the owner of the repository does not matter, and a promised object that is missing stays missing.

Bytes of paths and people are given as git has them; `decode` makes the text that the store holds.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import IO, NamedTuple

from graphsvc.errors import Cancelled, GraphsvcError, InvalidInput, NotFound, SourceUnavailable
from graphsvc.patches import Patch, parse_patches, unquote

__all__ = [
    "BlameLine",
    "CommitChanges",
    "FileChange",
    "GitObject",
    "ObjectInfo",
    "ObjectReader",
    "Peeled",
    "Reference",
    "Repository",
    "TreeEntry",
    "decode",
    "hash_object",
]

_ENVIRONMENT = {
    "PATH": os.defpath,
    "HOME": os.devnull,
    "LC_ALL": "C",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}

# commitGraph: a stale or forged commit graph would tell of other parents than the commits do.
# mailmap.blob: a bare repository's default is the .mailmap of HEAD, which renames the people in a blame.
_CONFIGURATION = """\
[core]
	bare = true
	commitGraph = false
	fsmonitor = false
	hooksPath = /dev/null
	quotePath = false
	repositoryFormatVersion = 1
[diff]
	renameLimit = 1000
[gc]
	auto = 0
[mailmap]
	blob =
[protocol]
	allow = never
[extensions]
"""
_LINKED = ("objects", "refs", "packed-refs", "shallow", "reftable")

_OID = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_TAGGED = re.compile(rb"object ([0-9a-f]{64}|[0-9a-f]{40})\n")
_EXTENSION = re.compile(r"[A-Za-z0-9]+\Z")
_NOT_FOUND = re.compile(
    rb"no such path|does not exist|bad object|bad revision|unknown revision|not a (?:valid|tree) object"
    rb"|unable to read|could not read"
)
_NOT_VALID = re.compile(rb"has only \d+ lines?|usage:|invalid")
_BROKEN = re.compile(rb"warning: ignoring (?:broken ref|ref with broken name) (.*)")

# Codecs that are no character encodings of anyone's editor; decoding idna takes quadratic time.
_REFUSED_CODECS = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}

# Requests in flight to `cat-file --batch`. All of them together fit into the smallest pipe (4 KiB by POSIX's
# PIPE_BUF), so that writing them never waits for git while git waits for us to read.
_WINDOW = 4096 // 65

_BUFFER = 1 << 17
# Git unpacks the next object while this process reads the one before, as far as their pipe holds it.
_PIPE_BYTES = 1 << 20
_CAPTURED = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


def decode(data: bytes, encoding: str | None = None) -> str:
    r"""Text of ``data``, with undecodable bytes as ``\xNN``.

    Args:
        data: Bytes of a path, name or message.
        encoding: Encoding that the source declares; UTF-8 where it is None, unknown, or not true.

    >>> decode(b"caf\xe9"), decode(b"caf\xe9", "ISO-8859-1"), decode(b"caf\xe9", "no-such")
    ('caf\\xe9', 'café', 'caf\\xe9')
    """
    if encoding is not None:
        try:
            if codecs.lookup(encoding).name not in _REFUSED_CODECS:
                return data.decode(encoding).encode().decode()
        except (LookupError, UnicodeError, ValueError):
            pass
    return data.decode("utf-8", "backslashreplace")


def hash_object(data: bytes, type: str = "blob", object_format: str = "sha1") -> str:
    """Object id of ``data``, as ``git hash-object -t TYPE`` computes it.

    >>> hash_object(b"hello\\n")
    'ce013625030ba8dba906f756967f9e9ca394464a'
    """
    digest = hashlib.new(object_format, b"%s %d\0" % (type.encode(), len(data)), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


class GitObject(NamedTuple):
    """An object with its bytes; ``type`` is commit, tree, blob or tag."""

    oid: str
    type: str
    data: bytes


class ObjectInfo(NamedTuple):
    """An object's type and its size in bytes."""

    oid: str
    type: str
    size: int


class Reference(NamedTuple):
    """A reference as git lists it.

    Attributes:
        name: Full name, or HEAD.
        target_oid: Object that it points at; None where the reference is broken.
        symbolic_target: Name of the reference that it is an alias of, None where it is none.
        raw: The line ``oid TAB name TAB symbolic target``, without its end.
    """

    name: str
    target_oid: str | None
    symbolic_target: str | None
    raw: bytes


class Peeled(NamedTuple):
    """What an object leads to.

    Attributes:
        type: Its own type; None where the object is missing.
        commit_oid: Commit that it is, or that a tag leads to; None where it leads to none.
    """

    type: str | None
    commit_oid: str | None


class TreeEntry(NamedTuple):
    """A file of a tree: octal mode, type (blob or commit), object id, path, and git's own line."""

    mode: str
    type: str
    oid: str
    path: bytes
    raw: bytes


class FileChange(NamedTuple):
    """One file that a commit changed.

    For a merge, what is said of the time before is about the first parent, and similarity is None.

    Attributes:
        status: A, M, D, R, C or T.
        path: Path after the commit, before it for D.
        old_path: Path before a rename or copy, else None.
        mode: Octal mode after, None where the file is gone.
        old_mode: Octal mode before, None where there was no file.
        oid: Object after.
        old_oid: Object before.
        similarity: Percent, for R and C.
        start: First byte of the record in `CommitChanges.raw`.
        end: End of the record, exclusive.
    """

    status: str
    path: bytes
    old_path: bytes | None
    mode: str | None
    old_mode: str | None
    oid: str | None
    old_oid: str | None
    similarity: int | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CommitChanges:
    """What a commit changed.

    Attributes:
        commit_oid: The commit.
        raw: Git's own records, each with a NUL after every field.
        changes: The records, in git's order.
        problem: Why they are not complete (renames not looked for, or nothing known); None where they are.
    """

    commit_oid: str
    raw: bytes
    changes: tuple[FileChange, ...]
    problem: str | None = None


class BlameLine(NamedTuple):
    """A line of a file and the commit that wrote it.

    Attributes:
        line: Number of the line in the commit asked about, from 1.
        commit_oid: Commit that it comes from.
        original_path: The file's path in that commit.
        original_line: The line's number there, from 1.
        author_name: As written in that commit.
        author_email: As written in that commit.
        authored_at: UTC seconds since 1970.
        is_boundary: A shallow clone ends at that commit: one before it may have written the line.
        content: The line's bytes, without its end.
    """

    line: int
    commit_oid: str
    original_path: bytes
    original_line: int
    author_name: bytes
    author_email: bytes
    authored_at: int
    is_boundary: bool
    content: bytes


class Repository:
    """A repository to read. Make it with `open`, and use it as a context manager or `close` it.

    Attributes:
        path: The path that it was opened by.
        git_dir: Folder of this worktree's HEAD.
        common_dir: Folder of the objects and references, shared by all linked worktrees.
        object_format: sha1 or sha256.
        is_shallow: Its history is cut off.
        is_partial: It was cloned with a filter, so that objects may be missing.
    """

    def __init__(self, path: Path, git_dir: Path, common_dir: Path) -> None:
        settings = _configuration(common_dir / "config")
        self.path = path
        self.git_dir = git_dir
        self.common_dir = common_dir
        self.object_format = settings.get("extensions.objectformat", "sha1")
        self.is_partial = "extensions.partialclone" in settings or any(
            key.startswith("remote.") and key.endswith(".promisor") for key in settings
        )
        self._view = _make_view(git_dir, common_dir, settings)
        self._finalizer = weakref.finalize(self, shutil.rmtree, self._view, ignore_errors=True)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Repository:
        """Open a work tree, a linked worktree, a submodule, a bare repository or a ``.git`` folder.

        Only ``path`` itself is looked at, never a folder above it. A ``.git`` that is a file or a link is
        followed only to a repository that names the work tree in turn, so that a downloaded folder cannot
        have another repository of the machine read in its name.

        Raises:
            NotFound: There is no repository.
            InvalidInput: Its ``.git`` leads to a repository that does not name it back.
            SourceUnavailable: It cannot be read, or git is not installed.
        """
        place = Path(path).absolute()
        with _readable(place):
            git_dir, common_dir = _locate(place)
            return cls(place, git_dir, common_dir)

    def close(self) -> None:
        """Remove the view; the repository cannot be read any more."""
        self._finalizer()

    def __enter__(self) -> Repository:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def is_shallow(self) -> bool:
        """Its history is cut off."""
        return bool(self.shallow_commits())

    def shallow_commits(self) -> frozenset[str]:
        """Commits whose parents a shallow clone left out."""
        file = self.common_dir / "shallow"
        if not file.exists():
            return frozenset()
        with _readable(file):
            lines = file.read_text("ascii", "replace").split()
        return frozenset(filter(_OID.match, lines))

    def references(self) -> list[Reference]:
        """HEAD, then all references by name; one that is broken has no target.

        HEAD is left out while it names a branch that has no commit yet, and so is any other alias of
        a reference that does not exist.
        """
        # The view's HEAD is a copy, since git takes no linked one.
        with _readable(self.git_dir / "HEAD"):
            shutil.copyfile(self.git_dir / "HEAD", self._view / "HEAD")
        listed = self._run("for-each-ref", "--format=%(objectname)%09%(refname)%09%(symref)")
        found = [_reference(line) for line in listed.stdout.splitlines()]
        found += [Reference(decode(name), None, None, name) for name in _BROKEN.findall(listed.stderr)]
        found.sort(key=lambda reference: reference.name)
        return [*self._head(), *found]

    def _head(self) -> list[Reference]:
        oid = self._run("rev-parse", "--verify", "--quiet", "HEAD", check=False).stdout.strip()
        alias = self._run("symbolic-ref", "--quiet", "HEAD", check=False).stdout.strip()
        return [_reference(b"%s\tHEAD\t%s" % (oid, alias))] if oid else []

    def commit_of(self, revision: str) -> str:
        """Object id of the commit that a revision means: a reference, tag or id, the beginning of an id, ``HEAD~2``.

        Raises:
            NotFound: It means none, or several.
        """
        if not revision or "\0" in revision:
            raise NotFound(f"{revision!r} names no commit", hint="see `git log` for those there are")
        with _readable(self.git_dir / "HEAD"):
            shutil.copyfile(self.git_dir / "HEAD", self._view / "HEAD")
        options = ("--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        oid = self._run("rev-parse", *options, check=False).stdout.decode().strip()
        if not _OID.match(oid):
            raise NotFound(
                f"{self.path} has no commit {revision!r}", hint="see `git for-each-ref` and `git log`"
            )
        return oid

    def unignored(self, work_tree: Path) -> Iterator[bytes]:
        """Paths of the files of a work tree that its ``.gitignore`` files do not name, in git's order.

        Raises:
            SourceUnavailable: It cannot be read.
        """
        options = ("--others", "--exclude-standard", "-z")
        with self._reading(f"--work-tree={work_tree}", "ls-files", *options) as stdout:
            yield from (path for path in _fields(stdout) if not path.endswith(b"/"))

    def peel(self, oids: Iterable[str]) -> dict[str, Peeled]:
        """Type of each object, and the commit that it leads to through tags, of tags as well."""
        ends = {oid: oid for oid in oids}
        types = self._types(ends)
        while tags := {oid for oid in ends.values() if types[oid] == "tag"}:
            with self.batch() as batch:
                heads = ((tag.oid, _TAGGED.match(tag.data)) for tag in batch.read(sorted(tags)) if tag)
                targets = {oid: head[1].decode() for oid, head in heads if head}
            types |= self._types(targets.values()) | dict.fromkeys(tags - targets.keys())
            ends = {oid: targets.get(end, end) for oid, end in ends.items()}
        return {oid: Peeled(types[oid], end if types[end] == "commit" else None) for oid, end in ends.items()}

    def _types(self, oids: Iterable[str]) -> dict[str, str | None]:
        wanted = list(dict.fromkeys(oids))
        infos = self.object_info(wanted)
        return {oid: info.type if info else None for oid, info in zip(wanted, infos, strict=True)}

    def object_info(self, oids: Iterable[str]) -> Iterator[ObjectInfo | None]:
        """Type and size of each object, in the order asked for, None for one that is missing."""
        with self._reading("cat-file", "--batch-check", lines=map(_checked, oids)) as stdout:
            for line in stdout:
                fields = line.split()
                missing = len(fields) != 3
                yield None if missing else ObjectInfo(fields[0].decode(), fields[1].decode(), int(fields[2]))

    def batch(self) -> ObjectReader:
        """A reader of object bytes that keeps one git process for all of them."""
        return ObjectReader(self._spawn)

    def commits(self, include: Iterable[str], exclude: Iterable[str] = ()) -> Iterator[str]:
        """Object ids of the commits that lead to ``include`` and not to ``exclude``, newest first.

        Raises:
            NotFound: One of the given commits is missing.
            SourceUnavailable: A commit between them is missing or damaged.
        """
        return self._rev_list((), include, exclude)

    def roots(self, tips: Iterable[str]) -> list[str]:
        """Commits without parents, or cut off from them, that ``tips`` lead to, newest first."""
        return list(self._rev_list(("--max-parents=0",), tips))

    def first_parent_root(self, tip: str) -> str:
        """The commit at which the line of first parents of ``tip`` begins."""
        return next(self._rev_list(("--first-parent", "--max-parents=0"), [tip]))

    def _rev_list(
        self, options: tuple[str, ...], include: Iterable[str], exclude: Iterable[str] = ()
    ) -> Iterator[str]:
        lines = [*map(_checked, include), *(f"^{_checked(oid)}" for oid in exclude)]
        with self._reading("rev-list", *options, "--stdin", lines=lines) as stdout:
            for line in stdout:
                yield line.decode().strip()

    def changes(self, commits: Iterable[str]) -> Iterator[CommitChanges]:
        """What each commit changed, in the order given.

        Roots are compared with nothing, others with their first parent, and merges with all of their
        parents: only what differs from every one of them counts. Renames are found by content. Where an
        object is missing, the commit is compared by object ids alone and says so in ``problem``.
        """
        rest = deque(map(_checked, commits))
        while rest:
            try:
                for changes in self._compare("-M", rest):
                    yield changes
                    rest.popleft()
            except Cancelled:
                raise
            except GraphsvcError as error:
                yield self._compare_by_id(rest.popleft(), error)

    def _compare_by_id(self, commit: str, reason: GraphsvcError) -> CommitChanges:
        try:
            [changes] = self._compare("-M100%", [commit])
        except Cancelled:
            raise
        except GraphsvcError as error:
            return CommitChanges(commit, b"", (), f"changes are unknown: {error.message}")
        problem = f"renames of edited files are unknown: {reason.message}"
        return CommitChanges(commit, changes.raw, changes.changes, problem)

    def _compare(self, renames: str, commits: Iterable[str]) -> Iterator[CommitChanges]:
        options = ("--always", "--root", "--raw", "-r", "-z", "-c", "--combined-all-paths", "--no-abbrev")
        safe = ("--no-ext-diff", "--no-textconv")
        with self._reading("diff-tree", "--stdin", *options, *safe, renames, lines=commits) as stdout:
            commit: str | None = None
            records: list[list[bytes]] = []
            fields = _fields(stdout)
            for field in fields:
                if field.startswith(b":"):
                    records.append([field, *islice(fields, _path_count(field))])
                    continue
                if commit is not None:
                    yield _commit_changes(commit, records)
                commit, records = field.decode(), []
            # Before git's status is known: it prints a commit only when it has all of its changes.
            if commit is not None:
                yield _commit_changes(commit, records)

    def patches(self, pairs: Iterable[tuple[str, str | None]]) -> Iterator[Patch]:
        """What lines each commit changed against a parent, in the order given.

        Renames are found by content. Where an object is missing, the patch has no files and says so in ``problem``.

        Args:
            pairs: Each commit with the parent to compare it with, None to compare it with nothing.
        """
        rest = deque(pairs)
        while rest:
            try:
                for patch in self._diff(rest):
                    yield patch
                    rest.popleft()
            except Cancelled:
                raise
            except GraphsvcError as error:
                commit, parent = rest.popleft()
                yield Patch(commit, parent, (), f"changed lines are unknown: {error.message}")

    def _diff(self, pairs: Iterable[tuple[str, str | None]]) -> Iterator[Patch]:
        pairs = list(pairs)
        lines = (_checked(commit) + (f" {_checked(parent)}" if parent else "") for commit, parent in pairs)
        options = ("--always", "--root", "--patch", "--unified=0", "-M", "--no-ext-diff", "--no-textconv")
        with self._reading("diff-tree", "--stdin", *options, lines=lines) as stdout:
            # A patch is whole once the next one begins, and the last one once git ended well.
            last: Patch | None = None
            for patch in parse_patches(pairs, stdout):
                if last is not None:
                    yield last
                last = patch
        if last is not None:
            yield last

    def tree(self, oid: str) -> Iterator[TreeEntry]:
        """All files of a tree, or of a commit's tree, in git's order.

        Raises:
            NotFound: The tree, or one inside it, is missing.
        """
        with self._reading("ls-tree", "-r", "-z", "--full-tree", _checked(oid)) as stdout:
            for record in _fields(stdout):
                head, _, path = record.partition(b"\t")
                mode, type_, entry = head.decode().split()
                yield TreeEntry(mode, type_, entry, path, record)

    def blame(self, commit: str, path: str | bytes, start: int, end: int | None) -> list[BlameLine]:
        """Which commit wrote each of the lines ``start`` to ``end`` of a file, counted from 1, both included.

        None for ``end`` is the end of the file.

        Raises:
            NotFound: The commit or the path in it does not exist.
            InvalidInput: The file has fewer lines than ``start``.
        """
        lines = f"-L{start},{'' if end is None else end}"
        options = ("--line-porcelain", "--root", "--no-progress", lines)
        output = self._run("blame", *options, _checked(commit), "--", path).stdout
        return list(_blame_lines(iter(output.split(b"\n")[:-1]), self.shallow_commits()))

    def _spawn(self, *arguments: str | bytes, **streams: int | IO[bytes]) -> subprocess.Popen[bytes]:
        return _spawn(self._view, arguments, **streams)

    def _run(self, *arguments: str | bytes, check: bool = True) -> subprocess.CompletedProcess[bytes]:
        finished = _finish(self._spawn(*arguments, **_CAPTURED))
        if check and finished.returncode:
            raise _failure(finished.returncode, finished.stderr)
        return finished

    @contextmanager
    def _reading(self, *arguments: str, lines: Iterable[str] = ()) -> Iterator[IO[bytes]]:
        """Standard output of a command with ``lines`` as its input, from a file so that nothing can block."""
        with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stderr:
            stdin.writelines(b"%s\n" % line.encode() for line in lines)
            stdin.seek(0)
            process = self._spawn(*arguments, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr)
            assert process.stdout is not None
            try:
                yield process.stdout
            except BaseException:
                process.kill()
                raise
            finally:
                process.stdout.close()
                process.wait()
            if process.returncode:
                stderr.seek(0)
                raise _failure(process.returncode, stderr.read())


class ObjectReader:
    """Reads objects through one long-lived ``git cat-file --batch``; use it as a context manager.

    Attributes:
        damaged: Objects that are there but cannot be read, with git's reason.
    """

    def __init__(self, spawn: Callable[..., subprocess.Popen[bytes]]) -> None:
        self.damaged: dict[str, str] = {}
        self._spawn = spawn
        self._process: subprocess.Popen[bytes] | None = None
        self._messages: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close
        self._pending: deque[str] = deque()

    def __enter__(self) -> ObjectReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        self._stop()
        self._messages.close()

    def read(self, oids: Iterable[str]) -> Iterator[GitObject | None]:
        """Each object in the order asked for; None for one that is missing or damaged.

        ``oids`` may be endless or depend on what was read: it is asked only a few dozen ids ahead.

        Raises:
            InvalidInput: Another ``read`` of this reader has not ended yet, or an id is malformed.
            SourceUnavailable: Git ended for another reason than a damaged object.
        """
        if self._pending:
            raise InvalidInput("the object reader is in use", hint="take a second reader with batch()")
        queue = map(_checked, oids)
        try:
            while True:
                if len(self._pending) <= _WINDOW // 2:
                    self._request(list(islice(queue, _WINDOW - len(self._pending))))
                if not self._pending:
                    return
                yield self._receive()
        finally:
            if self._pending:
                self._stop()

    def _request(self, oids: list[str]) -> None:
        self._pending.extend(oids)
        if oids:
            self._send(oids)

    def _send(self, oids: Iterable[str]) -> None:
        if self._process is None:
            streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self._messages}
            self._process = self._spawn("cat-file", "--batch", pipesize=_PIPE_BYTES, **streams)
        assert self._process.stdin is not None
        self._process.stdin.write("".join(f"{oid}\n" for oid in oids).encode())
        self._process.stdin.flush()

    def _receive(self) -> GitObject | None:
        assert self._process is not None
        assert self._process.stdout is not None
        oid = self._pending.popleft()
        header = self._process.stdout.readline().split()
        if header[1:] == [b"missing"]:
            return None
        if len(header) == 3:
            size = int(header[2])
            data = self._process.stdout.read(size)
            if self._process.stdout.read(1):
                return GitObject(oid, header[1].decode(), data)
        self._give_up(oid)
        return None

    def _give_up(self, oid: str) -> None:
        """Git ended at an object: go on with the rest in a new process, if it was the object's fault."""
        assert self._process is not None
        rest = list(self._pending)
        status = self._process.wait()
        self._stop()
        self._messages.seek(0)
        messages = self._messages.read()
        self._messages.seek(0)
        self._messages.truncate()
        if oid.encode() not in messages:
            raise _failure(status, messages)
        self.damaged[oid] = _last_line(messages)
        self._request(rest)

    def _stop(self) -> None:
        self._pending.clear()
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """What the system says against a file of a repository, as an error of ours: a repository can hold anything."""
    try:
        yield
    except GraphsvcError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL in a path
        raise SourceUnavailable(f"{path} cannot be read: {error}") from error


def _locate(path: Path) -> tuple[Path, Path]:
    """Git folder and common folder of the repository at ``path``."""
    entry = path / ".git"
    if entry.is_symlink() or entry.is_file():
        git_dir = _pointed_at(entry)
    elif entry.is_dir():
        git_dir = entry
    else:
        git_dir = path
    common_dir = _common_dir(git_dir)
    if not (
        (git_dir / "HEAD").is_file() and all((common_dir / part).is_dir() for part in ("objects", "refs"))
    ):
        raise NotFound(
            f"{path} is not a git repository",
            hint="name the top folder of a work tree, a bare repository or a .git folder",
        )
    return _real(git_dir), _real(common_dir)


def _pointed_at(entry: Path) -> Path:
    """Git folder that a ``.git`` file or link leads to, if that folder names the work tree in turn."""
    if entry.is_symlink():
        git_dir = _real(entry)
    else:
        git_dir = entry.parent / os.fsdecode(_small_file(entry).removeprefix(b"gitdir: ").rstrip(b"\r\n"))
    back = git_dir / "gitdir"
    if back.is_file():
        named = git_dir / os.fsdecode(_small_file(back).rstrip(b"\r\n"))
        named = named.parent
    else:
        worktree = _configuration(git_dir / "config").get("core.worktree")
        named = git_dir / worktree if worktree is not None else git_dir
    if _real(named) != _real(entry.parent):
        raise InvalidInput(
            f"{entry} leads to {git_dir}, which does not name {entry.parent} as its work tree",
            hint=f"if it is the repository that you mean, name {git_dir} itself",
        )
    return git_dir


def _common_dir(git_dir: Path) -> Path:
    """Common folder of a linked worktree's git folder, which must lie in its ``worktrees``."""
    pointer = git_dir / "commondir"
    if not pointer.is_file():
        return git_dir
    common_dir = git_dir / os.fsdecode(_small_file(pointer).rstrip(b"\r\n"))
    if _real(git_dir).parent != _real(common_dir) / "worktrees":
        raise InvalidInput(f"{git_dir} claims to belong to {common_dir}, which has no such worktree")
    return common_dir


def _real(path: Path) -> Path:
    """The path without links; one in a loop of them stays, where `Path.resolve` would fail."""
    return Path(os.path.realpath(path))


def _small_file(path: Path) -> bytes:
    with _readable(path), path.open("rb") as file:
        return file.read(8192)


def _configuration(path: Path) -> dict[str, str]:
    """Settings in a configuration file, by lower-case key, read as data: nothing that it includes counts."""
    if not path.is_file():
        return {}
    arguments = ("config", "--file", str(path), "--no-includes", "--null", "--list")
    finished = _finish(_spawn(Path(os.devnull), arguments, **_CAPTURED))
    if finished.returncode:
        raise _failure(finished.returncode, finished.stderr)
    settings = (decode(entry).partition("\n") for entry in finished.stdout.split(b"\0")[:-1])
    return {key: value for key, _, value in settings}


def _make_view(git_dir: Path, common_dir: Path, settings: Mapping[str, str]) -> Path:
    """A private git folder with our own configuration and links to the repository's data."""
    extensions = []
    for name in ("objectformat", "refstorage"):
        value = settings.get(f"extensions.{name}")
        if value is None:
            continue
        if not _EXTENSION.match(value):
            raise SourceUnavailable(f"{common_dir} has an unknown {name}: {value!r}")
        extensions.append(f"\t{name} = {value}\n")
    view = Path(tempfile.mkdtemp(prefix="graphsvc-git-"))
    (view / "config").write_text(_CONFIGURATION + "".join(extensions))
    shutil.copyfile(git_dir / "HEAD", view / "HEAD")
    for name in _LINKED:
        (view / name).symlink_to(common_dir / name)
    return view


def _spawn(
    git_dir: Path, arguments: Iterable[str | bytes], **streams: int | IO[bytes]
) -> subprocess.Popen[bytes]:
    program = shutil.which("git")
    if program is None:
        raise SourceUnavailable("git is not installed", hint="install git 2.32 or later, and run it again")
    folder = git_dir if git_dir.is_dir() else Path(os.sep)
    environment = _ENVIRONMENT | {"GIT_DIR": str(git_dir)}
    command = [program, "--no-pager", *arguments]
    return subprocess.Popen(command, cwd=folder, env=environment, bufsize=_BUFFER, **streams)  # type: ignore[call-overload,no-any-return]


def _finish(process: subprocess.Popen[bytes]) -> subprocess.CompletedProcess[bytes]:
    stdout, stderr = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


def _checked(oid: str) -> str:
    """The object id; anything else could be read as an option or as several ids."""
    if not _OID.match(oid):
        raise InvalidInput(f"{oid!r} is not an object id", hint="give all 40 or 64 hexadecimal digits")
    return oid


def _last_line(messages: bytes) -> str:
    """The last of git's messages that says what was fatal, else the last of all."""
    lines = [line for line in messages.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith((b"fatal:", b"error:"))]
    return decode((fatal or lines or [b"git ended without a message"])[-1])


def _failure(status: int, messages: bytes) -> GraphsvcError:
    """Error for git's exit status, negative for a signal, and what it said."""
    if status < 0:
        return Cancelled(f"git was ended by signal {-status}")
    text = f"git: {_last_line(messages)}"
    if _NOT_FOUND.search(messages):
        return NotFound(text)
    if _NOT_VALID.search(messages):
        return InvalidInput(text)
    return SourceUnavailable(text)


def _reference(line: bytes) -> Reference:
    oid, name, symbolic_target = line.split(b"\t")
    return Reference(decode(name), oid.decode(), decode(symbolic_target) or None, line)


def _fields(stream: IO[bytes]) -> Iterator[bytes]:
    """Fields that end in NUL."""
    rest = b""
    while chunk := stream.read(_BUFFER):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole


def _path_count(head: bytes) -> int:
    """Number of paths after the head of a raw change record: merges have one a parent and the result's."""
    parents = len(head) - len(head.lstrip(b":"))
    if parents > 1:
        return parents + 1
    return 2 if head.rpartition(b" ")[2][:1] in b"RC" else 1


def _commit_changes(commit: str, records: list[list[bytes]]) -> CommitChanges:
    changes = []
    start = 0
    for record in records:
        end = start + sum(map(len, record)) + len(record) - 1
        changes.append(_file_change(record, start, end))
        start = end + 1
    raw = b"".join(b"%s\0" % field for record in records for field in record)
    return CommitChanges(commit, raw, tuple(changes))


def _file_change(record: list[bytes], start: int, end: int) -> FileChange:
    """Change of a record as in gitformat "raw output": modes, object ids and statuses, one a parent."""
    head, *paths = record
    parents = len(head) - len(head.lstrip(b":"))
    *columns, status = head[parents:].decode().split(" ")
    modes, oids = columns[: parents + 1], columns[parents + 1 :]
    moved = status[0] in "RC"
    return FileChange(
        status=status[0],
        path=paths[-1],
        old_path=paths[0] if moved else None,
        mode=_or_none(modes[-1]),
        old_mode=_or_none(modes[0]),
        oid=_or_none(oids[-1]),
        old_oid=_or_none(oids[0]),
        similarity=int(status[1:]) if moved and parents == 1 else None,
        start=start,
        end=end,
    )


def _or_none(field: str) -> str | None:
    """The mode or object id, None where it is all zeros: no file."""
    return field if field.strip("0") else None


def _blame_lines(lines: Iterator[bytes], shallow: frozenset[str]) -> Iterator[BlameLine]:
    """Lines of ``git blame --line-porcelain``: a head, headers, and the content after a TAB."""
    for head in lines:
        commit, original, final = head.decode().split()[:3]
        headers: dict[bytes, bytes] = {}
        for line in lines:
            if line.startswith(b"\t"):
                break
            key, _, value = line.partition(b" ")
            headers[key] = value
        yield BlameLine(
            line=int(final),
            commit_oid=commit,
            original_path=unquote(headers[b"filename"]),
            original_line=int(original),
            author_name=headers[b"author"],
            author_email=headers[b"author-mail"].removeprefix(b"<").removesuffix(b">"),
            authored_at=int(headers[b"author-time"]),
            is_boundary=commit in shallow,
            content=line[1:],
        )
