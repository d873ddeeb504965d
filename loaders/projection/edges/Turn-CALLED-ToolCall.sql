-- Purpose: the tool calls of a turn.
-- Columns: source, target, is_nested (made by a subagent that the turn started), withdrawn
SELECT
    turn_id AS source,
    tool_call_id(session_key, call_key) AS target,
    is_nested,
    NOT is_present AS withdrawn
FROM session_tool_call
WHERE turn_id IS NOT NULL
