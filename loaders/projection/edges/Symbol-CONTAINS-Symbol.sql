-- Purpose: symbols that are defined inside another.
-- Columns: source, target
SELECT DISTINCT parent_id AS source, symbol_id AS target
FROM named_symbol
WHERE parent_id IS NOT NULL
