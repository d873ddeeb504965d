-- Purpose: the scopes of plane stores as their files are now.
-- Parameters: source
-- Columns: event_id, location, scope, cwd, session_key, mode, head_position, checkpoint_segment, patches_segment,
--   meta_segment, runtime_segment, owner (working directory that a cwd scope must belong to)
SELECT event_id, location, scope, cwd, session_key, mode, head_position, checkpoint_segment, patches_segment,
    meta_segment, runtime_segment, CASE WHEN scope = 'cwd' THEN cwd END AS owner
FROM present_plane_cohort
WHERE source_id = $source
ORDER BY location
