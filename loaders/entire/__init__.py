"""Checkpoints that Entire keeps in a repository: sessions, transcripts, prompts, attribution and token counts.

`layout` finds the files, `plan` compares them with the store, `metadata` and `loaders.transcripts` read them.
The repository is only read.
"""

from loaders.entire.loader import refresh

__all__ = ["refresh"]
