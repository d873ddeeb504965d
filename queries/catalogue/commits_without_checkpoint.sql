-- Question: whose commits name no checkpoint?
-- Parameters: since = null (a day or time in UTC), limit = 50
-- Columns: author (name), email, commits (without merges), without_checkpoint, share, last_without_at
SELECT
    arg_max(c.author_name, (c.authored_at, c.oid)) AS author,
    c.author_email AS email,
    count(*) AS commits,
    count(*) FILTER (t.commit_oid IS NULL) AS without_checkpoint,
    round(count(*) FILTER (t.commit_oid IS NULL) / count(*), 3) AS share,
    max(c.authored_at) FILTER (t.commit_oid IS NULL) AS last_without_at
FROM present_commit AS c
LEFT JOIN (SELECT DISTINCT repository_id, commit_oid FROM checkpoint_trailer) AS t
    ON t.repository_id = c.repository_id AND t.commit_oid = c.oid
WHERE c.parent_count < 2 AND ($since IS NULL OR c.authored_at >= $since::TIMESTAMP)
GROUP BY c.author_email
HAVING count(*) FILTER (t.commit_oid IS NULL) > 0
ORDER BY without_checkpoint DESC, email
LIMIT $limit
