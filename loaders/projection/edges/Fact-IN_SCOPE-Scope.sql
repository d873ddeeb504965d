-- Purpose: the memory scope that a fact holds in.
-- Columns: source, target
SELECT fact_id AS source, scope_key AS target FROM fact
