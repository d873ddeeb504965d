-- Purpose: the sessions of a source that the store has, and whether they are there as they were.
-- Parameters: source
-- Columns: event_id, document_id, is_withdrawn
SELECT d.event_id, d.document_id, w.event_id IS NOT NULL AS is_withdrawn
FROM document AS d
LEFT JOIN withdrawn AS w USING (event_id)
WHERE d.source_id = $source
