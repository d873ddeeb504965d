-- Purpose: what facts rest on, in order.
-- Parameters: ids
-- Columns: fact_id, anchor_kind, anchor_id, digest
SELECT fact_id, anchor_kind, anchor_id, digest
FROM fact_anchor
WHERE fact_id IN (SELECT unnest($ids))
ORDER BY fact_id, ordinal
