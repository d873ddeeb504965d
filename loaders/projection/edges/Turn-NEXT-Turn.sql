-- Purpose: the order of a session's present turns.
-- Columns: source, target
SELECT a.turn_id AS source, b.turn_id AS target
FROM turn AS a
JOIN turn AS b ON b.session_key = a.session_key AND b.ordinal = a.ordinal + 1
