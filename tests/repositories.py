"""Small real git repositories, made by code: fixed people, fixed dates, so that object ids never change.

>>> import tempfile, pathlib
>>> with tempfile.TemporaryDirectory() as folder:
...     made = RepositoryBuilder(pathlib.Path(folder) / "r")
...     made.commit({"a.txt": "one"}, "Add a")
'c56806f2f70905022908e01a0c058a27be062ad2'
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["ADA", "BEN", "FIRST_COMMIT", "File", "RepositoryBuilder", "executable", "submodule", "symlink"]

ADA = "Ada Example <ada@example.org>"
BEN = "Ben Example <ben@example.org>"

FIRST_COMMIT = 1_767_225_600
"""Time of the first commit, 2026-01-01T00:00:00Z; every later one is a minute after the one before."""

_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": os.devnull,
    "LC_ALL": "C",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada Example",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": f"{FIRST_COMMIT} +0000",
    "GIT_COMMITTER_NAME": "Ada Example",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_COMMITTER_DATE": f"{FIRST_COMMIT} +0000",
}


class File(NamedTuple):
    """A tree entry: octal mode and content; for a submodule the content is a commit id."""

    mode: str
    content: bytes


def symlink(target: str) -> File:
    """A symbolic link."""
    return File("120000", target.encode())


def executable(content: str) -> File:
    """A file with the executable bit."""
    return File("100755", content.encode())


def submodule(commit: str) -> File:
    """A commit of another repository."""
    return File("160000", commit.encode())


class RepositoryBuilder:
    """A repository in a folder that does not exist yet.

    Args:
        path: The folder.
        bare: Without a work tree.
        object_format: sha1 or sha256.
    """

    def __init__(self, path: Path, *, bare: bool = False, object_format: str = "sha1") -> None:
        self.path = path
        self.commits = 0
        path.mkdir(parents=True)
        kind = ["--bare"] if bare else []
        self.git("init", "-q", "-b", "main", f"--object-format={object_format}", *kind, ".")

    @classmethod
    def existing(cls, path: Path) -> RepositoryBuilder:
        """Go on with a repository that is there; commits from now on are later than those it has."""
        builder = cls.__new__(cls)
        builder.path = path
        builder.commits = len(builder.git("rev-list", "--all").split())
        return builder

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        """Output of a git command that must succeed, without the newline at its end."""
        finished = subprocess.run(
            ["git", *arguments], cwd=self.path, env=_ENVIRONMENT, input=stdin, capture_output=True, check=True
        )
        return finished.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")

    def commit(
        self,
        files: Mapping[str | bytes, str | bytes | File | None],
        message: str | bytes,
        *,
        branch: str = "main",
        parents: Sequence[str] | None = None,
        author: str = ADA,
    ) -> str:
        """Commit to a branch and return the commit's id; the work tree is left alone.

        Args:
            files: Content by path, None to remove the path. The rest is as in the first parent.
            message: Message of the commit.
            branch: Branch that it becomes the tip of, whatever that was before.
            parents: Parents; by default the branch's tip, or none where the branch is new.
            author: Author and committer, as ``Name <email>``.
        """
        if parents is None:
            tip = self.git("for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")
            parents = [tip] if tip else []
        text = message if isinstance(message, bytes) else message.encode()
        when = FIRST_COMMIT + 60 * self.commits
        self.commits += 1
        lines = [
            b"reset refs/heads/%s\n" % branch.encode(),
            b"commit refs/heads/%s\nmark :1\n" % branch.encode(),
        ]
        lines.append(f"committer {author} {when} +0000\ndata {len(text)}\n".encode() + text + b"\n")
        for word, parent in zip(["from"] + ["merge"] * len(parents), parents, strict=False):
            lines.append(f"{word} {parent}\n".encode())
        lines += [_change(path, content) for path, content in files.items()]
        lines.append(b"\nget-mark :1\n")
        return self.git("fast-import", "--quiet", "--force", stdin=b"".join(lines))

    def orphan_branch(self, name: str, files: Mapping[str | bytes, bytes], message: str) -> str:
        """Make, or replace, a branch of one commit that has no parent, as a checkpoint branch begins."""
        return self.commit(files, message, branch=name, parents=[])

    def checkout(self, branch: str = "main") -> None:
        """Bring the work tree to a branch."""
        self.git("checkout", "-q", "-f", branch)

    def object(self, type: str, data: bytes) -> str:
        """Write an object of any content, however odd, and return its id."""
        return self.git("hash-object", "-w", "--literally", "-t", type, "--stdin", stdin=data)

    def reference(self, name: str, oid: str | None) -> None:
        """Point a reference at an object, or delete it for None."""
        if oid is None:
            self.git("update-ref", "-d", name)
        else:
            self.git("update-ref", name, oid)

    def tag(self, name: str, target: str) -> str:
        """Make an annotated tag and return the id of the tag object."""
        self.git("tag", "-f", "-a", "-m", f"Tag {name}", name, target)
        return self.git("rev-parse", f"refs/tags/{name}")

    def remove_object(self, oid: str) -> None:
        """Lose an object that lies loose."""
        self.object_path(oid).unlink()

    def object_path(self, oid: str) -> Path:
        """File of an object that lies loose."""
        folder = self.git("rev-parse", "--git-path", "objects")
        return self.path / folder / oid[:2] / oid[2:]


def _change(path: str | bytes, content: str | bytes | File | None) -> bytes:
    """A command of git fast-import that sets or removes a path."""
    name = path if isinstance(path, bytes) else path.encode()
    quoted = b'"%s"' % b"".join(
        bytes([byte]) if 32 < byte < 127 and byte not in b'"\\' else b"\\%03o" % byte for byte in name
    )
    if content is None:
        return b"D %s\n" % quoted
    if isinstance(content, str):
        content = content.encode()
    mode, data = content if isinstance(content, File) else ("100644", content)
    if mode == "160000":
        return b"M 160000 %s %s\n" % (data, quoted)
    return b"M %s inline %s\ndata %d\n%s\n" % (mode.encode(), quoted, len(data), data)
