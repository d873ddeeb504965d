-- Purpose: blobs that the indexed snapshots of a repository hold, by path.
-- Parameters: repository
-- Columns: path, blob_oid
SELECT DISTINCT e.path, e.oid AS blob_oid
FROM present_snapshot AS s
JOIN tree_entry AS e USING (repository_id, tree_oid)
WHERE s.repository_id = $repository AND e.entry_type IN ('file', 'executable')
ORDER BY e.path, blob_oid
