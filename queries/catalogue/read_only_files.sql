-- Question: which files do agents read most that they never write?
-- Parameters: limit = 20
-- Columns: repository, path, reads (tool calls), sessions, last_read_at
SELECT
    coalesce(n.name, repository_id) AS repository,
    path,
    count(DISTINCT (session_key, call_key)) AS reads,
    count(DISTINCT session_key) AS sessions,
    max(occurred_at) AS last_read_at
FROM touched_file
LEFT JOIN repository_name AS n USING (repository_id)
WHERE is_present
GROUP BY repository_id, n.name, path
HAVING count(*) FILTER (access = 'write') = 0
ORDER BY reads DESC, path, repository
LIMIT $limit
