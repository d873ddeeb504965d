-- Purpose: what the model thought, else said, last before a tool call in its turn.
-- Parameters: session, turn (null before the first prompt), at (time of the call)
-- Columns: step, subject (the record's key), text, occurred_at, segment, start_byte, end_byte
WITH begun AS (
    SELECT max(e.occurred_at) AS begun_at
    FROM entry AS e
    WHERE e.session_key = $session AND e.event_id = 'event_' || substr($turn, 6)
)
SELECT 'reasoning' AS step, m.entry_key AS subject, m.text, m.occurred_at, m.segment, m.start_byte, m.end_byte
FROM message AS m
WHERE m.session_key = $session AND m.role = 'assistant' AND m.channel IN ('thinking', 'text') AND m.text <> ''
    AND m.occurred_at <= $at AND m.occurred_at >= coalesce((SELECT begun_at FROM begun), m.occurred_at)
ORDER BY m.occurred_at DESC, m.channel DESC, m.block DESC, m.event_id
LIMIT 1
