-- Purpose: the intents that stood at an instant in the planes that were authored in this store.
-- Parameters: source, cwd (working directory), at
-- Columns: name, value (JSON), scope, cwd, occurred_at (of the state that holds it), segment, start_byte, end_byte
WITH standing AS (
    SELECT event_id, scope, cwd, occurred_at
    FROM plane_cohort
    WHERE source_id = $source AND occurred_at <= $at AND (scope = 'global' OR cwd = $cwd)
    QUALIFY row_number() OVER (PARTITION BY location ORDER BY head_position DESC) = 1
)
SELECT i.name, i.value, s.scope, s.cwd, s.occurred_at, i.segment, i.start_byte, i.end_byte
FROM plane_item AS i
JOIN standing AS s ON s.event_id = i.cohort_id
WHERE i.plane = 'intents'
ORDER BY CASE s.scope WHEN 'session' THEN 0 WHEN 'cwd' THEN 1 ELSE 2 END, s.cwd, i.name
