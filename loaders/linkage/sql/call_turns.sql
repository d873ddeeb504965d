-- Purpose: the turn of each tool call that was taken apart.
-- Columns: session_key, call_key, turn_id, position, call_seq
SELECT c.session_key, c.call_key, c.turn_id, c.position, e.seq AS call_seq
FROM session_tool_call AS c
JOIN tool_call AS e USING (event_id)
SEMI JOIN written_call AS w ON w.session_key = c.session_key AND w.call_key = c.call_key
ORDER BY c.session_key, c.call_key
