-- Question: which checkpoints does no commit name?
-- Parameters: limit = 100
-- Columns: repository, checkpoint, created_at (of its first session), branch, strategy, sessions, agents
SELECT
    coalesce(r.name, c.repository_id) AS repository,
    c.checkpoint_key AS checkpoint,
    min(s.occurred_at) AS created_at,
    c.branch,
    c.strategy,
    count(DISTINCT s.session_key) AS sessions,
    coalesce(list_sort(list(DISTINCT s.agent) FILTER (s.agent IS NOT NULL)), []) AS agents
FROM present_checkpoint AS c
ANTI JOIN (
    SELECT t.repository_id, t.value
    FROM checkpoint_trailer AS t
    JOIN present_commit AS p ON p.repository_id = t.repository_id AND p.oid = t.commit_oid
) AS n ON n.repository_id = c.repository_id AND n.value = c.checkpoint_key
LEFT JOIN present_checkpoint_session AS s
    ON s.repository_id = c.repository_id AND s.checkpoint_key = c.checkpoint_key
LEFT JOIN repository_name AS r ON r.repository_id = c.repository_id
GROUP BY c.repository_id, r.name, c.checkpoint_key, c.branch, c.strategy
ORDER BY created_at DESC NULLS LAST, checkpoint, repository
LIMIT $limit
