"""Listing many trees with one git process, where a process a reference would be too slow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from graphsvc.errors import SourceUnavailable
from graphsvc.git import GitObject, ObjectReader, Repository, TreeEntry

__all__ = ["read_trees"]

_TREE = re.compile(rb"tree ([0-9a-f]+)\n")
_DIRECTORY = b"40000"
_SUBMODULE = b"160000"


def read_trees(repository: Repository, commits: Sequence[str]) -> list[list[TreeEntry]]:
    """All files of each commit's tree, in git's order.

    Args:
        repository: The repository.
        commits: Object ids of commits.

    Raises:
        SourceUnavailable: A commit or tree is missing, so that what it holds cannot be known.
    """
    width = 32 if repository.object_format == "sha256" else 20
    with repository.batch() as reader:
        roots = [_root(commit) for commit in _read(reader, commits)]
        trees: dict[str, bytes] = {}
        wanted = list(dict.fromkeys(roots))
        while wanted:
            trees |= {tree.oid: tree.data for tree in _read(reader, wanted)}
            below = (entry for oid in wanted for entry in _entries(trees[oid], width))
            folders = dict.fromkeys(oid for mode, _, oid in below if mode == _DIRECTORY)
            wanted = [oid for oid in folders if oid not in trees]
    return [list(_walk(trees, root, b"", width)) for root in roots]


def _read(reader: ObjectReader, oids: Sequence[str]) -> Iterator[GitObject]:
    for oid, found in zip(oids, reader.read(oids), strict=True):
        if found is None:
            raise SourceUnavailable(
                f"object {oid}, which lists checkpoints, is missing",
                hint="fetch the checkpoint branch again",
            )
        yield found


def _root(commit: GitObject) -> str:
    found = _TREE.match(commit.data)
    if commit.type != "commit" or not found:
        raise SourceUnavailable(f"{commit.oid} is no commit", hint="fetch the checkpoint branch again")
    return found[1].decode()


def _entries(tree: bytes, width: int) -> Iterator[tuple[bytes, bytes, str]]:
    """Mode, name and object id of each entry of a tree object."""
    position = 0
    while position < len(tree):
        end = tree.index(b"\0", position)
        mode, _, name = tree[position:end].partition(b" ")
        position = end + 1 + width
        yield mode, name, tree[end + 1 : position].hex()


def _walk(trees: dict[str, bytes], oid: str, prefix: bytes, width: int) -> Iterator[TreeEntry]:
    for mode, name, entry in _entries(trees[oid], width):
        path = prefix + name
        if mode == _DIRECTORY:
            yield from _walk(trees, entry, path + b"/", width)
            continue
        type_ = "commit" if mode == _SUBMODULE else "blob"
        raw = b"%s %s %s\t%s" % (mode, type_.encode(), entry.encode(), path)
        yield TreeEntry(mode.decode(), type_, entry, path, raw)
