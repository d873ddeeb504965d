-- Purpose: how many sessions match.
-- Parameters: those of the filters
-- Columns: sessions
WITH matching AS (
    /* filters */
    SELECT session_key FROM session_time
)
SELECT count(DISTINCT session_key) AS sessions FROM matching
