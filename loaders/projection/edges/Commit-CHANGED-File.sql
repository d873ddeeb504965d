-- Purpose: files that a commit changed; a rename also leads to the path before it, as status R-.
-- Columns: source, target, status, similarity (percent, for renames and copies), is_merge, withdrawn (the commit
--   left the repository)
WITH change AS (
    SELECT repository_id, commit_oid, path, status, similarity, is_merge FROM file_change
    UNION ALL
    SELECT repository_id, commit_oid, old_path, 'R-', similarity, is_merge FROM file_change WHERE status = 'R'
)
SELECT
    commit_id(f.repository_id, f.commit_oid) AS source,
    file_id(f.repository_id, f.path) AS target,
    f.status,
    f.similarity,
    f.is_merge,
    c.oid IS NULL AS withdrawn
FROM change AS f
LEFT JOIN present_commit AS c ON c.repository_id = f.repository_id AND c.oid = f.commit_oid
