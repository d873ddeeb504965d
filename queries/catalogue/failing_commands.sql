-- Question: which shell commands fail most often when agents run them?
-- Parameters: since = null (a day or time in UTC), limit = 20
-- Columns: command, runs, failed, sessions, exit_codes (of the failed runs), last_failed_at, last_answer (its first
--   200 characters)
SELECT
    command,
    count(*) AS runs,
    count(*) FILTER (failed) AS failed,
    count(DISTINCT session_key) FILTER (failed) AS sessions,
    coalesce(list_sort(list(DISTINCT exit_code) FILTER (failed AND exit_code IS NOT NULL)), []) AS exit_codes,
    max(occurred_at) FILTER (failed) AS last_failed_at,
    left(arg_max(result_excerpt, (occurred_at, event_id)) FILTER (failed), 200) AS last_answer
FROM (
    SELECT *, coalesce(is_error, false) OR coalesce(exit_code, 0) <> 0 AS failed
    FROM session_tool_call
    WHERE command IS NOT NULL AND is_present AND ($since IS NULL OR occurred_at >= $since::TIMESTAMP)
)
GROUP BY command
HAVING count(*) FILTER (failed) > 0
ORDER BY failed DESC, runs, command
LIMIT $limit
