-- Purpose: one node an accepted transition of planes, as the files of a plane store tell of it now.
-- Columns: id, boundary (its id in the store), position, parent
-- Lineages of one store may give one id to different transitions, so the key takes in position and parent.
SELECT DISTINCT
    boundary_node_id(source_id, boundary_id, position, parent_id) AS id,
    boundary_id AS boundary,
    position,
    parent_id AS parent
FROM present_plane_boundary
