-- Purpose: the transition before a transition, where the same file tells of both.
-- Columns: source, target
SELECT DISTINCT
    boundary_node_id(b.source_id, b.boundary_id, b.position, b.parent_id) AS source,
    boundary_node_id(p.source_id, p.boundary_id, p.position, p.parent_id) AS target
FROM present_plane_boundary AS b
JOIN present_plane_boundary AS p
    ON p.cohort_id = b.cohort_id AND p.boundary_id = b.parent_id AND p.position = b.position - 1
