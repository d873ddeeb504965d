-- Purpose: every tool call that may have written to a file.
-- Columns: session_key, call_key, names (the file, or the command), occurred_at, segment, start_byte, end_byte
SELECT session_key, call_key, coalesce(path, command) AS names, occurred_at, segment, start_byte, end_byte
FROM tool_call
WHERE writes OR command IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY session_key, call_key ORDER BY is_nested, seq) = 1
ORDER BY session_key, occurred_at, call_key
