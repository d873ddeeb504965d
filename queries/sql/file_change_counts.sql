-- Purpose: how often each file was changed by commits that are present, merges left out.
-- Parameters: since (a time, or null)
-- Columns: repository_id, path, commits, authors, last_changed_at
SELECT f.repository_id, f.path, count(DISTINCT f.commit_oid) AS commits, count(DISTINCT c.author_email) AS authors,
    max(c.committed_at) AS last_changed_at
FROM file_change AS f
JOIN present_commit AS c ON c.repository_id = f.repository_id AND c.oid = f.commit_oid
WHERE NOT f.is_merge AND f.status <> 'D' AND ($since::TIMESTAMP IS NULL OR c.committed_at >= $since)
GROUP BY f.repository_id, f.path
