-- Purpose: a commit's parents, the first one at position 0.
-- Columns: source, target, position, withdrawn (the commit left the repository)
SELECT
    commit_id(p.repository_id, p.commit_oid) AS source,
    commit_id(p.repository_id, p.parent_oid) AS target,
    p.position,
    c.oid IS NULL AS withdrawn
FROM commit_parent AS p
LEFT JOIN present_commit AS c ON c.repository_id = p.repository_id AND c.oid = p.commit_oid
