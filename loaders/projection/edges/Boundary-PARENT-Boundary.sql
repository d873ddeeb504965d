-- Purpose: the transition before a transition, where the same file tells of both.
-- Columns: source, target, position (0: a transition has one parent), withdrawn (false: only what stands is shown)
SELECT DISTINCT
    boundary_node_id(b.source_id, b.boundary_id, b.position, b.parent_id) AS source,
    boundary_node_id(p.source_id, p.boundary_id, p.position, p.parent_id) AS target,
    0::BIGINT AS position,
    false AS withdrawn
FROM present_plane_boundary AS b
JOIN present_plane_boundary AS p
    ON p.cohort_id = b.cohort_id AND p.boundary_id = b.parent_id AND p.position = b.position - 1
