-- Purpose: sessions of the agents whose name begins so, whatever its case.
-- Parameters: agent
-- Columns: session_key
SELECT session_key FROM session_agent WHERE starts_with(lower(agent), lower($agent))
