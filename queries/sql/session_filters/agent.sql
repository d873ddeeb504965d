-- Purpose: sessions of an agent, whatever the case of its name.
-- Parameters: agent
-- Columns: session_key
SELECT session_key FROM session_agent WHERE lower(agent) = lower($agent)
