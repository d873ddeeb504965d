-- Purpose: agents of sessions, the most frequent first.
-- Columns: value
SELECT agent AS value FROM session_agent WHERE agent IS NOT NULL GROUP BY agent ORDER BY count(*) DESC, agent
