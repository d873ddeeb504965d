-- Purpose: tool calls that may have written to files and have not been taken apart.
-- Columns: event_id, session_key, call_key, occurred_at, segment, start_byte, end_byte
SELECT c.event_id, c.session_key, c.call_key, c.occurred_at, c.segment, c.start_byte, c.end_byte
FROM (
    SELECT * FROM tool_call
    WHERE writes OR contains(command, '<<') OR regexp_matches(command, '(echo|printf) .*>')
    QUALIFY row_number() OVER (PARTITION BY session_key, call_key ORDER BY is_nested, seq) = 1
) AS c
ANTI JOIN written_call AS w ON w.session_key = c.session_key AND w.call_key = c.call_key
ORDER BY c.session_key, c.occurred_at, c.call_key
