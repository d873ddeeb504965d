-- Purpose: the symbols that a fact rests on.
-- Columns: source, target, digest (of the symbol when the fact was recorded, empty where that does not matter)
SELECT DISTINCT fact_id AS source, anchor_id AS target, digest
FROM fact_anchor
WHERE anchor_kind = 'symbol'
