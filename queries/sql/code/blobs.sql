-- Purpose: the blobs of the files of a snapshot.
-- Columns: path, blob_oid, status, reason
SELECT path, blob_oid, status, reason FROM code_file ORDER BY path
