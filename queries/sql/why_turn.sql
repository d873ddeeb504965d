-- Purpose: a turn's prompt.
-- Parameters: session, turn
-- Columns: prompt, started_at, segment, start_byte, end_byte
SELECT p.text AS prompt, e.occurred_at AS started_at, e.segment, e.start_byte, e.end_byte
FROM entry AS e
JOIN prompt AS p USING (session_key, entry_key, occurrence)
WHERE session_key = $session AND e.event_id = 'event_' || substr($turn, 6)
