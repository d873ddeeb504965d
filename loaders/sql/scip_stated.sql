-- Purpose: what the store has of a SCIP index, and whether the index still states it.
-- Parameters: source
-- Columns: event_id, is_withdrawn, segment, start_byte, end_byte
SELECT d.event_id, w.event_id IS NOT NULL AS is_withdrawn, d.segment, d.start_byte, d.end_byte
FROM scip_document AS d
LEFT JOIN withdrawn AS w USING (event_id)
WHERE d.source_id = $source
