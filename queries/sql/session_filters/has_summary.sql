-- Purpose: sessions that have, or do not have, a recorded summary.
-- Parameters: has_summary
-- Columns: session_key
SELECT session_key FROM any_session
WHERE $has_summary = (session_key IN (
    SELECT session_key FROM session_summary ANTI JOIN withdrawn USING (event_id) WHERE session_key IS NOT NULL
))
