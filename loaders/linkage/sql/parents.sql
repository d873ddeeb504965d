-- Purpose: the parents of present commits, in order.
-- Columns: repository_id, commit_oid, parent_oid
SELECT p.repository_id, p.commit_oid, p.parent_oid
FROM commit_parent AS p
SEMI JOIN (SELECT repository_id, oid AS commit_oid FROM present_commit) AS c USING (repository_id, commit_oid)
SEMI JOIN (SELECT repository_id, oid AS parent_oid FROM present_commit) AS k USING (repository_id, parent_oid)
ORDER BY p.repository_id, p.commit_oid, p.position
