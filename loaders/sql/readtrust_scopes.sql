-- Purpose: what the store has stated of the trust of sessions, and whether it still does.
-- Parameters: source
-- Columns: event_id, tree_id, is_withdrawn
SELECT r.event_id, r.tree_id, w.event_id IS NOT NULL AS is_withdrawn
FROM read_scope AS r
LEFT JOIN withdrawn AS w USING (event_id)
WHERE r.source_id = $source
