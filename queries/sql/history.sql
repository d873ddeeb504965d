-- Purpose: the commits that changed a file, the newest first, back through its renames.
-- Parameters: path, repository (or null), limit
-- Columns: commit, committed_at, author, title, status, path, old_path, checkpoints, sessions, is_withdrawn
WITH RECURSIVE name(repository_id, path) AS (
    SELECT DISTINCT repository_id, path FROM known_file
    WHERE path = $path AND ($repository IS NULL OR repository_id = $repository)
    UNION
    SELECT f.repository_id, f.old_path
    FROM file_change AS f
    JOIN name AS n ON n.repository_id = f.repository_id AND n.path = f.path
    WHERE f.status = 'R'
),
produced AS (
    SELECT t.repository_id, t.commit_oid, list(DISTINCT t.value ORDER BY t.value) AS checkpoints,
        list(DISTINCT s.session_key ORDER BY s.session_key) FILTER (s.session_key IS NOT NULL) AS sessions
    FROM checkpoint_trailer AS t
    LEFT JOIN present_checkpoint_session AS s
        ON s.repository_id = t.repository_id AND s.checkpoint_key = t.value
    GROUP BY t.repository_id, t.commit_oid
)
SELECT f.commit_oid AS commit, c.committed_at, c.author_name AS author, c.title, f.status, f.path, f.old_path,
    p.checkpoints, p.sessions, w.event_id IS NOT NULL AS is_withdrawn
FROM file_change AS f
JOIN name AS n ON n.repository_id = f.repository_id AND n.path = f.path
JOIN "commit" AS c ON c.repository_id = f.repository_id AND c.oid = f.commit_oid
LEFT JOIN withdrawn AS w ON w.event_id = c.event_id
LEFT JOIN produced AS p ON p.repository_id = f.repository_id AND p.commit_oid = f.commit_oid
ORDER BY c.committed_at DESC, f.commit_oid, f.path
LIMIT $limit
