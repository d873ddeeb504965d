-- Question: how many agent sessions went into each commit?
-- Parameters: since = null (a day or time in UTC), limit = 50
-- Columns: commit, committed_at, author, title, checkpoints (ids that the message names), known (of those in the
--   store), sessions, session_keys
SELECT
    c.oid AS "commit",
    c.committed_at,
    c.author_name AS author,
    c.title,
    count(DISTINCT t.value) AS checkpoints,
    count(DISTINCT s.checkpoint_key) AS known,
    count(DISTINCT s.session_key) AS sessions,
    coalesce(list_sort(list(DISTINCT s.session_key) FILTER (s.session_key IS NOT NULL)), []) AS session_keys
FROM checkpoint_trailer AS t
JOIN present_commit AS c ON c.repository_id = t.repository_id AND c.oid = t.commit_oid
LEFT JOIN present_checkpoint_session AS s ON s.repository_id = t.repository_id AND s.checkpoint_key = t.value
WHERE $since IS NULL OR c.committed_at >= $since::TIMESTAMP
GROUP BY c.repository_id, c.oid, c.committed_at, c.author_name, c.title
ORDER BY sessions DESC, c.committed_at DESC, "commit"
LIMIT $limit
