-- Purpose: which of the listed commits the store has, and whether they count as withdrawn.
-- Parameters: $source; table listed (oid)
-- Columns: oid, event_id, is_withdrawn
SELECT c.oid, c.event_id, w.event_id IS NOT NULL AS is_withdrawn
FROM "commit" AS c
SEMI JOIN listed USING (oid)
LEFT JOIN withdrawn AS w USING (event_id)
WHERE c.source_id = $source
ORDER BY c.oid
