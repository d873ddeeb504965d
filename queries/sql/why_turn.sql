-- Purpose: a turn's prompt. A turn is named by the event of the record that begins it.
-- Parameters: session, turn
-- Columns: prompt, started_at, segment, start_byte, end_byte
SELECT m.text AS prompt, e.occurred_at AS started_at, e.segment, e.start_byte, e.end_byte
FROM entry AS e
JOIN message AS m ON m.entry_key = e.entry_key AND m.occurrence = e.occurrence
WHERE e.session_key = $session AND e.event_id = 'event_' || substr($turn, 6)
    AND m.session_key = $session AND m.channel = 'prompt' AND m.origin = 'typed'
ORDER BY m.event_id
LIMIT 1
