-- Question: what share of the committed lines did agents write, month by month?
-- Parameters: since = null (a day or time in UTC)
-- Columns: month (first day), metric_version (null for the first; versions count differently), agent (several of one
--   checkpoint by comma), checkpoints, sessions, agent_lines, total_committed, percent
-- Notes: as the checkpoints recorded it. Each session of a checkpoint repeats the figures of its commit, measured from
--   where it began, so a checkpoint counts once: by its combined figures where it has them, else by those of the
--   session that saw most of the commit (the most committed lines, then the most agent lines, then the first).
WITH told AS (
    SELECT repository_id, checkpoint_key, min(occurred_at) AS occurred_at,
        string_agg(DISTINCT agent, ', ' ORDER BY agent) AS agent, list(DISTINCT session_key) AS session_keys
    FROM present_checkpoint_session
    WHERE session_key IS NOT NULL
    GROUP BY repository_id, checkpoint_key
),
measured AS (
    SELECT k.repository_id, a.*
    FROM attribution AS a
    ANTI JOIN withdrawn USING (event_id)
    JOIN present_checkpoint AS k USING (source_id, checkpoint_key)
    QUALIFY row_number() OVER (
        PARTITION BY k.repository_id, a.checkpoint_key
        ORDER BY a.session_index IS NOT NULL, a.total_committed DESC NULLS LAST, a.agent_lines DESC NULLS LAST,
            a.session_index, a.event_id
    ) = 1
)
SELECT
    date_trunc('month', coalesce(t.occurred_at, m.occurred_at))::DATE AS month,
    m.metric_version,
    t.agent,
    count(*) AS checkpoints,
    len(list_distinct(flatten(list(t.session_keys)))) AS sessions,
    sum(m.agent_lines)::BIGINT AS agent_lines,
    sum(m.total_committed)::BIGINT AS total_committed,
    round(100 * sum(m.agent_lines) / nullif(sum(m.total_committed), 0), 1) AS percent
FROM measured AS m
JOIN told AS t USING (repository_id, checkpoint_key)
WHERE $since IS NULL OR coalesce(t.occurred_at, m.occurred_at) >= $since::TIMESTAMP
GROUP BY month, m.metric_version, t.agent
ORDER BY month DESC, metric_version, agent
