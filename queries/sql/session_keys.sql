-- Purpose: the keys of sessions that match, the newest or the oldest first, with the digest of what each holds.
-- Parameters: limit (or null), oldest_first; those of the filters
-- Columns: session, content_digest
WITH matching AS (
    /* filters */
    SELECT session_key FROM session_time
)
SELECT t.session_key AS session, d.content_digest
FROM session_time AS t
SEMI JOIN matching USING (session_key)
LEFT JOIN session_digest AS d USING (session_key)
ORDER BY CASE WHEN $oldest_first THEN coalesce(t.started_at, t.created_at) END NULLS LAST,
    coalesce(t.started_at, t.created_at) DESC NULLS LAST, session
LIMIT $limit
