-- Purpose: files of the indexed snapshots by path, or every one.
-- Parameters: path (null for all), repository (null for all)
-- Columns: id, repository_id, path, oids (blobs that the snapshots have of it)
SELECT file_id(repository_id, path) AS id, repository_id, path, list(DISTINCT oid ORDER BY oid) AS oids
FROM tree_entry
SEMI JOIN present_snapshot USING (repository_id, tree_oid)
WHERE entry_type <> 'submodule' AND ($path IS NULL OR path = $path)
    AND ($repository IS NULL OR repository_id = $repository)
GROUP BY repository_id, path
ORDER BY repository_id, path
