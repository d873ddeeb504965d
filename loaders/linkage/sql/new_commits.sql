-- Purpose: commits that have not been taken apart, a row a parent.
-- Parameters: repository
-- Columns: oid, parent_oid (null for a commit without one, or whose parents a shallow clone lacks)
SELECT c.oid, k.oid AS parent_oid
FROM present_commit AS c
LEFT JOIN commit_parent AS p ON p.repository_id = c.repository_id AND p.commit_oid = c.oid
LEFT JOIN present_commit AS k ON k.repository_id = p.repository_id AND k.oid = p.parent_oid
ANTI JOIN commit_patch AS d ON d.repository_id = c.repository_id AND d.commit_oid = c.oid
WHERE c.repository_id = $repository
ORDER BY c.oid, p.position
