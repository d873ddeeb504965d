-- Purpose: what the model thought, else said, last before a tool call in its turn.
-- Parameters: session, begun (when its turn began, or null), at (time of the call)
-- Columns: step, subject (the record's key), text, occurred_at, segment, start_byte, end_byte
SELECT 'reasoning' AS step, m.entry_key AS subject, m.text, m.occurred_at, m.segment, m.start_byte, m.end_byte
FROM message AS m
WHERE m.session_key = $session AND m.role = 'assistant' AND m.channel IN ('thinking', 'text') AND m.text <> ''
    AND m.occurred_at <= $at AND m.occurred_at >= coalesce($begun::TIMESTAMP, m.occurred_at)
ORDER BY m.occurred_at DESC, m.channel DESC, m.block DESC, m.event_id
LIMIT 1
