"""The graph engine boundary: typed tables go in, Arrow tables, rows and typed errors come out.

The graph is a projection: it is built once from key-ordered Parquet files, verified, sealed and from then on
only read. Everything that knows an engine is in this package; the engine is imported in one module.

- ``schema``: what node and edge tables a graph has, and the DDL for them.
- ``digest``: digests of a table's content that no engine, scan order or memory layout can change.
- ``build``: a fresh database file out of Parquet files.
- ``verify``: the file read back in another process and compared with the digests it should have.
- ``seal``: the hash of the closed file, so that later damage is found.
- ``generation``: build, verify and seal as one step.
- ``reader``: read-only answers from a published file.
- ``engine``: the adapter to the engine.
"""
