-- Question: how many prompts did people type on each day?
-- Parameters: since = null (a day or time in UTC), limit = 100
-- Columns: day (UTC, null where the transcript has no times), prompts, sessions, characters (average of a prompt)
SELECT
    started_at::DATE AS day,
    count(*) AS prompts,
    count(DISTINCT session_key) AS sessions,
    round(avg(length(prompt)))::BIGINT AS characters
FROM turn
WHERE is_present AND ($since IS NULL OR started_at >= $since::TIMESTAMP)
GROUP BY day
ORDER BY day DESC NULLS LAST
LIMIT $limit
