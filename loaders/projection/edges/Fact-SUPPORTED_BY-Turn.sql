-- Purpose: the turns that a fact rests on.
-- Columns: source, target, digest (of the turn when the fact was recorded, empty where that does not matter)
SELECT DISTINCT fact_id AS source, anchor_id AS target, digest
FROM fact_anchor
WHERE anchor_kind = 'turn'
