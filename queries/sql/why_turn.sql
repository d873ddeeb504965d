-- Purpose: a turn's prompt.
-- Parameters: session, turn
-- Columns: prompt, ordinal, started_at, segment, start_byte, end_byte
SELECT prompt, ordinal, started_at, segment, start_byte, end_byte
FROM turn
WHERE session_key = $session AND turn_id = $turn
