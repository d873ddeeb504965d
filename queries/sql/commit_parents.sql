-- Purpose: all commits of a repository with each of their parents, the newest commit first, parents in order.
-- Parameters: repository
-- Columns: commit_oid, parent_oid
SELECT p.commit_oid, p.parent_oid
FROM commit_parent AS p
JOIN "commit" AS c ON c.repository_id = p.repository_id AND c.oid = p.commit_oid
WHERE p.repository_id = $repository
ORDER BY c.committed_at DESC, p.commit_oid, p.position
