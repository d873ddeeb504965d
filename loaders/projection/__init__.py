"""The projection: the graph is what the SQL files of this folder say over the canonical events.

``nodes/LABEL.sql`` gives the nodes of a label, with a key column ``id``; ``edges/FROM-LABEL-TO.sql`` gives
the edges of a label between two node labels, with columns ``source`` and ``target``. Every further column is a
property. Besides the event tables and the views of ``graphsvc/canonical/views.sql``, the files can use the
tables that code resolution makes: see ``loaders/resolution``.
"""
