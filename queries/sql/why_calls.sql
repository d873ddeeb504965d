-- Purpose: the tool calls of a session that wrote files or ran commands, oldest first.
-- Parameters: session
-- Columns: session_key, call_key, name, occurred_at, position, turn_id, is_nested, command, writes, paths (written, as structured inputs say),
--   segment, start_byte, end_byte
SELECT c.session_key, c.call_key, c.name, c.occurred_at, c.position, c.turn_id, c.is_nested, c.command, c.writes,
    t.paths, c.segment, c.start_byte, c.end_byte
FROM session_tool_call AS c
LEFT JOIN (
    SELECT session_key, call_key, list(DISTINCT path) AS paths
    FROM file_touch
    WHERE access = 'write' AND call_key IS NOT NULL AND origin <> 'command'
    GROUP BY session_key, call_key
) AS t USING (session_key, call_key)
WHERE session_key = $session AND (c.writes OR c.command IS NOT NULL)
ORDER BY c.position, c.start_byte
