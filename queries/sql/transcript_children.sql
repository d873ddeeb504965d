-- Purpose: sessions that a session started, with the call that did, where it is known.
-- Parameters: session
-- Columns: session_key, call_key
SELECT session_key, min(call_key) AS call_key FROM session_spawn WHERE parent_key = $session
GROUP BY session_key ORDER BY session_key
