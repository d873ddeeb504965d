-- Purpose: one node a checkpoint; one that left its source is marked withdrawn.
-- Columns: id, repository, key, strategy, branch, created_at (of its first session), session_count, withdrawn
WITH version AS (
    SELECT c.*, w.event_id IS NOT NULL AS is_withdrawn,
        row_number() OVER (
            PARTITION BY c.repository_id, c.checkpoint_key ORDER BY w.event_id IS NOT NULL, c.event_id
        ) AS preference
    FROM checkpoint AS c
    LEFT JOIN withdrawn AS w USING (event_id)
),
session AS (
    SELECT repository_id, checkpoint_key, min(occurred_at) AS created_at,
        count(DISTINCT session_key) AS session_count
    FROM present_checkpoint_session
    GROUP BY repository_id, checkpoint_key
)
SELECT
    checkpoint_id(v.repository_id, v.checkpoint_key) AS id,
    v.repository_id AS repository,
    v.checkpoint_key AS key,
    v.strategy,
    v.branch,
    s.created_at,
    coalesce(s.session_count, 0) AS session_count,
    v.is_withdrawn AS withdrawn
FROM version AS v
LEFT JOIN session AS s USING (repository_id, checkpoint_key)
WHERE v.preference = 1
