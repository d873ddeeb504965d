-- Purpose: what a name means, among sessions, turns and tool calls that wrote to files.
-- Parameters: name
-- Columns: kind (session, turn or call), key
SELECT DISTINCT 'session' AS kind, session_key AS key FROM call_turn
WHERE length($name) >= 4 AND starts_with(session_key, lower($name))
UNION
SELECT 'turn', turn_id FROM call_turn WHERE length($name) >= 12 AND starts_with(turn_id, $name)
UNION
SELECT 'call', call_key FROM call_turn WHERE call_key = $name
ORDER BY kind, key
LIMIT 20
