-- Purpose: one node a path that a commit, an indexed snapshot or a session's repository ever had.
-- Columns: id, repository, path, name, in_snapshot (it is in an indexed snapshot now)
WITH present AS (
    SELECT DISTINCT e.repository_id, e.path
    FROM tree_entry AS e
    JOIN present_snapshot AS s USING (repository_id, tree_oid)
    WHERE e.entry_type <> 'submodule'
),
known AS (
    SELECT repository_id, path FROM present
    UNION
    SELECT repository_id, path FROM file_change
    UNION
    SELECT repository_id, old_path FROM file_change WHERE old_path IS NOT NULL
)
SELECT
    file_id(k.repository_id, k.path) AS id,
    k.repository_id AS repository,
    k.path,
    regexp_extract(k.path, '[^/]*$') AS name,
    p.path IS NOT NULL AS in_snapshot
FROM known AS k
LEFT JOIN present AS p USING (repository_id, path)
