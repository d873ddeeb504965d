-- Purpose: the nearest scope around a memory scope; the last of every chain is the global one.
-- Columns: source, target
WITH chain AS (SELECT DISTINCT [scope_key] || enclosing_scopes AS keys FROM fact)
SELECT DISTINCT unnest(keys[:-2]) AS source, unnest(keys[2:]) AS target FROM chain
