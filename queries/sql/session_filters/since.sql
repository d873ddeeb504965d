-- Purpose: sessions that were still going on at a time or began later.
-- Parameters: since (timestamp)
-- Columns: session_key
SELECT session_key FROM session_time WHERE coalesce(ended_at, created_at) >= $since::TIMESTAMP
