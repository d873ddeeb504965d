-- Purpose: the turns of a session.
-- Columns: source, target, ordinal
SELECT session_id(session_key) AS source, turn_id AS target, ordinal
FROM turn
