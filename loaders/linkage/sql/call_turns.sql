-- Purpose: the turn of each tool call that was taken apart.
-- Columns: session_key, call_key, turn_id, position
SELECT c.session_key, c.call_key, c.turn_id, c.position
FROM session_tool_call AS c
SEMI JOIN written_call AS w USING (session_key, call_key)
ORDER BY c.session_key, c.call_key
