"""The symbols that tool calls edited, at the snapshots that they edited.

Parsing a file for each edit costs more than all else that a rebuild does with a session, so this is a source of its
own, which a store has once it is asked for. It reads the store instead of files: the answers of calls that wrote a
file, each once. Some hosts keep with an answer the file as it was; of others the snapshot is not known, and counted so.
"""

from loaders.edits.loader import NAME, add_edits, refresh

__all__ = ["NAME", "add_edits", "refresh"]
