-- Question: which files do agents edit most that no person has touched since?
-- Parameters: limit = 20
-- Columns: repository, path, edits (tool calls), sessions, last_edit_at, person_commits (before the last edit)
-- Notes: a person touched a file where a commit changed it whose message names no checkpoint. Only files of an indexed
-- snapshot count.
WITH edited AS (
    SELECT repository_id, path, count(DISTINCT (session_key, call_key)) AS edits,
        count(DISTINCT session_key) AS sessions, max(occurred_at) AS last_edit_at
    FROM touched_file
    WHERE access = 'write' AND is_present
    GROUP BY repository_id, path
),
personal AS (
    SELECT f.repository_id, f.path, count(*) AS commits, max(c.authored_at) AS last_at
    FROM file_change AS f
    JOIN present_commit AS c ON c.repository_id = f.repository_id AND c.oid = f.commit_oid
    ANTI JOIN checkpoint_trailer AS t ON t.repository_id = f.repository_id AND t.commit_oid = f.commit_oid
    WHERE NOT f.is_merge
    GROUP BY f.repository_id, f.path
)
SELECT
    coalesce(n.name, repository_id) AS repository,
    path,
    e.edits,
    e.sessions,
    e.last_edit_at,
    coalesce(p.commits, 0) AS person_commits
FROM edited AS e
SEMI JOIN snapshot_file USING (repository_id, path)
LEFT JOIN personal AS p USING (repository_id, path)
LEFT JOIN repository_name AS n USING (repository_id)
WHERE p.last_at IS NULL OR p.last_at <= e.last_edit_at
ORDER BY edits DESC, path, repository
LIMIT $limit
