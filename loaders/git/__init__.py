"""Reads git repositories: their references, their history, and the files of the commits that are indexed.

Options of a source:

- ``repository_id`` and ``root_oid``: the repository's identity, as `identify` found it when it was added.
- ``references``: names of the references whose files are indexed, full, short, or commit ids; ``["HEAD"]``.
- ``excluded``: references whose history is not read, because another loader does: names, or beginnings of names
  up to a slash, with ``*`` for one part of a name; by default those that hold Entire checkpoints.
- ``branch``: short name of the checkpoint branch where it has its own; it is excluded as well.
"""

from __future__ import annotations

from loaders.git.identity import EXCLUDED, Identity, identify
from loaders.git.loading import refresh

__all__ = ["EXCLUDED", "Identity", "identify", "refresh"]
