-- Purpose: the turns of a session with what was done in each.
-- Parameters: session
-- Columns: turn, ordinal, started_at, ended_at, records, tool_calls, failed, written_files, prompt, is_abandoned (the
--   session went on from before it), segment, start_byte, end_byte (of the prompt)
WITH called AS (
    SELECT turn_id, count(*) AS tool_calls, count(*) FILTER (is_error) AS failed,
        count(DISTINCT path) FILTER (writes) AS written_files
    FROM session_tool_call
    WHERE session_key = $session AND is_present
    GROUP BY turn_id
)
SELECT t.turn_id AS turn, t.ordinal, t.started_at, t.ended_at, t.record_count AS records,
    coalesce(c.tool_calls, 0) AS tool_calls, coalesce(c.failed, 0) AS failed,
    coalesce(c.written_files, 0) AS written_files,
    t.prompt,
    EXISTS (
        SELECT 1 FROM rewound AS r
        WHERE r.session_key = $session AND t.position > r.after AND t.position < r.before
    ) AS is_abandoned,
    t.segment, t.start_byte, t.end_byte
FROM turn AS t
LEFT JOIN called AS c USING (turn_id)
WHERE t.session_key = $session
ORDER BY t.is_present DESC, t.position
