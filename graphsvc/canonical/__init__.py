"""The canonical store: events and the bytes behind them. Only this package uses DuckDB."""
