-- Purpose: whether the store has a derived table.
-- Parameters: name
-- Columns: table_name
SELECT table_name FROM duckdb_tables() WHERE table_name = $name AND NOT temporary
