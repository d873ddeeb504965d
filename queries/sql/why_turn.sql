-- Purpose: a turn's prompt.
-- Parameters: session, turn
-- Columns: prompt, started_at, segment, start_byte, end_byte
SELECT prompt, occurred_at AS started_at, segment, start_byte, end_byte
FROM turn_start
WHERE session_key = $session AND turn_id = $turn
