-- Purpose: the turns of a session.
-- Columns: source, target, ordinal (null when withdrawn), withdrawn
SELECT session_id(session_key) AS source, turn_id AS target, ordinal, NOT is_present AS withdrawn
FROM turn
