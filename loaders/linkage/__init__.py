"""Record linkage: which tool calls wrote what commits added, without a word of the commits' messages.

Commits and tool calls are taken apart into lines once (`taking`). Then lines are matched and commits scored
as sets (`matching`, ``sql/``), since a new call may be what an old commit came from, and the lines of indexed
snapshots are followed back through the changes (`replay`). All of it is derived and can be made again.
"""

from loaders.linkage.linking import LinkReport, link

__all__ = ["LinkReport", "link"]
