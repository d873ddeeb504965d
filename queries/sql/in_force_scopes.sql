-- Purpose: the scopes of a plane store that a session saw, each in the newest version that still tells how it was at a
--   boundary, whether the store still states that version or not.
-- Parameters: session (the host's id), boundary (its id)
-- Columns: scope, event_id (of the version), position (of the boundary), is_readable (no version is where false: the
--   changes up to there have been folded into later ones), checkpoint_segment, patches_segment, meta_segment, owner
--   (working directory that a cwd scope must belong to)
WITH stood AS (
    SELECT c.source_id, c.cwd, c.location, b.position
    FROM plane_cohort AS c
    JOIN plane_boundary AS b ON b.cohort_id = c.event_id
    WHERE c.scope = 'session' AND c.session_key = $session AND b.boundary_id = $boundary
    QUALIFY row_number() OVER (ORDER BY c.seq DESC) = 1
),
version AS (
    SELECT c.*, s.position, count(*) FILTER (
            (b.role = 'checkpoint' AND b.position > s.position)
            OR (b.position = s.position AND b.boundary_id <> $boundary)
        ) = 0 AS is_readable
    FROM plane_cohort AS c
    JOIN stood AS s ON s.source_id = c.source_id
        AND (c.scope = 'global' OR c.location = s.location OR (c.scope = 'cwd' AND c.cwd = s.cwd))
    JOIN plane_boundary AS b ON b.cohort_id = c.event_id
    GROUP BY ALL
)
SELECT scope, event_id, position, is_readable, checkpoint_segment, patches_segment, meta_segment,
    CASE WHEN scope = 'cwd' THEN cwd END AS owner
FROM version
QUALIFY row_number() OVER (PARTITION BY location ORDER BY is_readable DESC, seq DESC) = 1
ORDER BY CASE scope WHEN 'session' THEN 0 WHEN 'cwd' THEN 1 ELSE 2 END
