-- Purpose: what the store has of a source of planes, and whether the source still states it.
-- Parameters: source
-- Columns: event_id, kind, is_withdrawn
SELECT e.event_id, e.kind, w.event_id IS NOT NULL AS is_withdrawn
FROM (
    SELECT event_id, 'document' AS kind FROM document WHERE source_id = $source
    UNION ALL
    SELECT event_id, 'plane_cohort' FROM plane_cohort WHERE source_id = $source
    UNION ALL
    SELECT event_id, 'fault' FROM fault WHERE source_id = $source
) AS e
LEFT JOIN withdrawn AS w USING (event_id)
