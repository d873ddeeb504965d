-- Purpose: sessions of subagents that a tool call started.
-- Columns: source, target, withdrawn
SELECT tool_call_id(parent_key, call_key) AS source, session_id(session_key) AS target, NOT is_present AS withdrawn
FROM session_spawn
WHERE call_key IS NOT NULL
