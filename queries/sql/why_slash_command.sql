-- Purpose: the slash command that a person gave last before a tool call and after the prompt of its turn. Commands of the
--   host itself, such as for leaving, begin otherwise.
-- Parameters: session, begun (time of the prompt, null before the first one), at (time of the call)
-- Columns: step, subject (the record's key), text (the command and what was said with it), occurred_at, segment,
--   start_byte, end_byte
SELECT 'slash_command' AS step, entry_key AS subject,
    concat_ws(' ', nullif(trim(regexp_extract(text, '<command-name>([^<]*)', 1)), ''),
        nullif(trim(regexp_extract(text, '(?s)<command-args>(.*)</command-args>', 1)), '')) AS text,
    occurred_at, segment, start_byte, end_byte
FROM message
WHERE session_key = $session AND channel = 'prompt' AND origin = 'injected' AND NOT coalesce(is_nested, false)
    AND starts_with(text, '<command-message>')
    AND occurred_at <= $at AND occurred_at > coalesce($begun::TIMESTAMP, TIMESTAMP '0001-01-01')
ORDER BY occurred_at DESC, event_id
LIMIT 1
