-- Purpose: the scopes that a transition changed.
-- Columns: source, target, record (JSON of the net change), segment, start_byte, end_byte
SELECT
    boundary_node_id(c.source_id, b.boundary_id, b.position, b.parent_id) AS source,
    plane_scope_id(c.source_id, c.location) AS target,
    p.record,
    p.segment,
    p.start_byte,
    p.end_byte
FROM plane_patch AS p
JOIN present_plane_cohort AS c ON c.event_id = p.cohort_id
JOIN plane_boundary AS b ON b.cohort_id = p.cohort_id AND b.role = 'patch' AND b.ordinal = p.ordinal
