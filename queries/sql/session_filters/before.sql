-- Purpose: sessions that began before a time.
-- Parameters: before (timestamp)
-- Columns: session_key
SELECT session_key FROM session_time WHERE coalesce(started_at, created_at) < $before::TIMESTAMP
