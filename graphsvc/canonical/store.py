"""The canonical store."""


class CanonicalStore:
    """DuckDB file of one store."""
