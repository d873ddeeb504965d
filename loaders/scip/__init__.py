"""SCIP indexes of compilers and language servers, as a source of precise references.

``wire``     messages of protocol buffers
``reading``  indexes and their documents
``loader``   from an index to events
"""

from __future__ import annotations

from loaders.scip.loader import add_scip, refresh

__all__ = ["add_scip", "refresh"]
