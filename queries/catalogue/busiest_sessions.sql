-- Question: which agent sessions did the most work?
-- Parameters: since = null (a day or time in UTC), limit = 20
-- Columns: session, started_at, ended_at, turns, tool_calls, failed, nested (made by subagents), written_files,
--   output_tokens
WITH told AS (
    SELECT session_key, min(occurred_at) AS started_at, max(occurred_at) AS ended_at, count(turn_start) AS turns
    FROM timeline
    WHERE is_present
    GROUP BY session_key
),
called AS (
    SELECT session_key, count(*) AS tool_calls, count(*) FILTER (is_error) AS failed,
        count(*) FILTER (is_nested) AS nested, count(DISTINCT path) FILTER (writes) AS written_files
    FROM session_tool_call
    WHERE is_present
    GROUP BY session_key
),
used AS (
    SELECT session_key, sum(output_tokens)::BIGINT AS output_tokens FROM message_usage GROUP BY session_key
)
SELECT
    session_key AS session,
    started_at,
    ended_at,
    turns,
    coalesce(tool_calls, 0) AS tool_calls,
    coalesce(failed, 0) AS failed,
    coalesce(nested, 0) AS nested,
    coalesce(written_files, 0) AS written_files,
    output_tokens
FROM told
LEFT JOIN called USING (session_key)
LEFT JOIN used USING (session_key)
WHERE $since IS NULL OR ended_at >= $since::TIMESTAMP
ORDER BY tool_calls DESC, turns DESC, session
LIMIT $limit
