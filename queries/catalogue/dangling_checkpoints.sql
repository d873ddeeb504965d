-- Question: which checkpoints do commits name that their repository does not have?
-- Parameters: limit = 100
-- Columns: repository, checkpoint, commits, first_committed_at, last_committed_at, authors, example (a commit)
SELECT
    coalesce(n.name, t.repository_id) AS repository,
    t.value AS checkpoint,
    count(DISTINCT t.commit_oid) AS commits,
    min(c.committed_at) AS first_committed_at,
    max(c.committed_at) AS last_committed_at,
    list_sort(list(DISTINCT c.author_name)) AS authors,
    arg_min(c.oid, (c.committed_at, c.oid)) AS example
FROM checkpoint_trailer AS t
JOIN present_commit AS c ON c.repository_id = t.repository_id AND c.oid = t.commit_oid
ANTI JOIN present_checkpoint AS k ON k.repository_id = t.repository_id AND k.checkpoint_key = t.value
LEFT JOIN repository_name AS n ON n.repository_id = t.repository_id
GROUP BY t.repository_id, n.name, t.value
ORDER BY last_committed_at DESC, checkpoint, repository
LIMIT $limit
