-- Purpose: one node an intent that stands at the head of a scope of planes.
-- Columns: id, name, value (JSON), scope (id of its Scope), boundary (of the newest change that names it), segment,
--   start_byte, end_byte
SELECT
    plane_item_id(c.source_id, c.location, i.plane, i.name) AS id,
    i.name,
    i.value,
    plane_scope_id(c.source_id, c.location) AS scope,
    i.boundary_id AS boundary,
    i.segment,
    i.start_byte,
    i.end_byte
FROM plane_item AS i
JOIN present_plane_cohort AS c ON c.event_id = i.cohort_id
WHERE i.plane = 'intents'
