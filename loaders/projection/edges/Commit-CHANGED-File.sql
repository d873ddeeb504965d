-- Purpose: files that a commit changed; a rename also leads to the path before it, as status R-.
-- Columns: source, target, status, similarity (percent, for renames and copies), is_merge
SELECT
    commit_id(repository_id, commit_oid) AS source,
    file_id(repository_id, path) AS target,
    status,
    similarity,
    is_merge
FROM file_change
UNION ALL
SELECT
    commit_id(repository_id, commit_oid) AS source,
    file_id(repository_id, old_path) AS target,
    'R-' AS status,
    similarity,
    is_merge
FROM file_change
WHERE status = 'R'
