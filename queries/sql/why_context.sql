-- Purpose: what a prompt of few words is about: the text that the model said last before it, and the last prompt
--   before it that says more. By the times of the records: their places would cost as much as the rest of the trail.
-- Parameters: session, before (time of the prompt), letters (fewest letters and digits of a prompt that says more)
-- Columns: step (answering or earlier_prompt), subject (the record's key or the turn), text, occurred_at, segment,
--   start_byte, end_byte
WITH said AS (
    SELECT entry_key, occurrence, channel, text, occurred_at, segment, start_byte, end_byte
    FROM message
    WHERE session_key = $session AND occurred_at < $before AND NOT coalesce(is_nested, false)
        AND (channel = 'text' AND role = 'assistant' OR channel = 'prompt' AND origin = 'typed'
            AND length(regexp_replace(text, '[^\p{L}\p{N}]', '', 'g')) >= $letters)
    QUALIFY row_number() OVER (PARTITION BY channel ORDER BY occurred_at DESC, block DESC, event_id) = 1
)
SELECT CASE s.channel WHEN 'text' THEN 'answering' ELSE 'earlier_prompt' END AS step,
    CASE s.channel WHEN 'text' THEN s.entry_key ELSE 'turn_' || substr(e.event_id, 7) END AS subject,
    s.text, s.occurred_at, s.segment, s.start_byte, s.end_byte
FROM said AS s
JOIN entry AS e ON e.session_key = $session AND e.segment = s.segment AND e.start_byte = s.start_byte
    AND e.occurrence = s.occurrence
ORDER BY step
