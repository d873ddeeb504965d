-- Question: what share of the committed lines did agents write, month by month?
-- Parameters: since = null (a day or time in UTC)
-- Columns: month (first day), metric_version (null for the first; versions count differently), agent, sessions,
--   agent_lines, total_committed, percent
-- Notes: as the checkpoints recorded it. A session in several checkpoints counts in each: the lines are those of their
--   commits.
SELECT
    date_trunc('month', coalesce(s.occurred_at, a.occurred_at))::DATE AS month,
    a.metric_version,
    s.agent,
    count(DISTINCT s.session_key) AS sessions,
    sum(a.agent_lines)::BIGINT AS agent_lines,
    sum(a.total_committed)::BIGINT AS total_committed,
    round(100 * sum(a.agent_lines) / nullif(sum(a.total_committed), 0), 1) AS percent
FROM attribution AS a
ANTI JOIN withdrawn USING (event_id)
JOIN present_checkpoint_session AS s USING (source_id, checkpoint_key, session_index)
WHERE $since IS NULL OR coalesce(s.occurred_at, a.occurred_at) >= $since::TIMESTAMP
GROUP BY ALL
ORDER BY month DESC, metric_version, agent
