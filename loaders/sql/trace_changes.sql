-- Purpose: the files that commits changed.
-- Parameters: repository, commits (list of ids)
-- Columns: commit_oid, status, path, old_path, blob_oid, old_blob_oid, is_merge, segment, start_byte, end_byte
SELECT commit_oid, status, path, old_path, blob_oid, old_blob_oid, is_merge, segment, start_byte, end_byte
FROM file_change
WHERE repository_id = $repository AND list_contains($commits, commit_oid)
    AND coalesce(mode, old_mode) IN ('100644', '100664', '100755')
ORDER BY commit_oid, path
