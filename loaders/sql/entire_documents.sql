-- Purpose: every document that a source of checkpoints has had, and whether it still has it.
-- Parameters: source (source id)
-- Columns: event_id, path, content_id, role, session_key, is_missing, is_damaged, is_withdrawn
SELECT
    d.event_id, d.path, d.content_id, d.role, d.session_key, d.is_missing,
    d.event_id IN (SELECT subject FROM fault WHERE fault_kind = 'damaged_blob') AS is_damaged,
    w.event_id IS NOT NULL AS is_withdrawn
FROM document AS d
LEFT JOIN withdrawn AS w USING (event_id)
WHERE d.source_id = $source
