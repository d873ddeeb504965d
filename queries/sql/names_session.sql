-- Purpose: ids of sessions that begin with a text.
-- Parameters: prefix
-- Columns: session_key
SELECT DISTINCT session_key
FROM any_session
WHERE starts_with(session_key, $prefix)
ORDER BY session_key
LIMIT 50
