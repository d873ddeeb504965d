"""Planes: the scoped, versioned state that a coding agent keeps of its work.

Three scopes (global, cwd, session) each hold six planes. The effective view overlays the scopes by path, an
inner one over an outer one. A change is a patch; accepted patches form a history with shared boundaries.

``strict_json`` reads bytes, ``dialect`` names the planes and translates retired names, ``patching`` applies
patches, ``ownership`` says what closing an intent clears, ``staging`` admits authored patches, ``history``
keeps and folds accepted ones, ``admission`` reads a scope's three files, and ``reading`` answers paths.
"""
