-- Purpose: one node a member of strategy, tactics, artifacts, lazy or the response at the head of a scope of planes.
-- Columns: id, plane, name (empty for the response), value (JSON), scope (id of its Scope), boundary (of the newest
--   change that names it), segment, start_byte, end_byte
SELECT
    plane_item_id(c.source_id, c.location, i.plane, i.name) AS id,
    i.plane,
    i.name,
    i.value,
    plane_scope_id(c.source_id, c.location) AS scope,
    i.boundary_id AS boundary,
    i.segment,
    i.start_byte,
    i.end_byte
FROM plane_item AS i
JOIN present_plane_cohort AS c ON c.event_id = i.cohort_id
WHERE i.plane <> 'intents'
