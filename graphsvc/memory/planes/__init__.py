"""Planes: the scoped, versioned state that a coding agent keeps of its work.

Three scopes (global, cwd, session) each hold six planes. The effective view overlays the scopes by path, an
inner one over an outer one. A change is a patch; accepted patches form a history with shared boundaries.

``dialect`` names the planes and translates retired names, ``patching`` applies patches, ``ownership`` says
what closing an intent clears, ``staging`` and ``authoring`` admit authored patches, ``history`` keeps and
folds accepted ones, ``metadata`` and ``admission`` read a scope's files, ``composition`` puts scopes
together, ``pointers`` reads what a session's transcript says of them, and ``reading`` answers paths.
"""
