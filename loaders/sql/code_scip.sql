-- Purpose: what SCIP indexes say of the files of a snapshot as they are there.
-- Parameters: repository, paths, blobs (lists of one length: the files)
-- Columns: path, symbols, occurrences, implementations
SELECT DISTINCT path, symbols, occurrences, implementations
FROM present_scip_document
SEMI JOIN (SELECT unnest($paths) AS path, unnest($blobs) AS blob_oid) USING (path, blob_oid)
WHERE repository_id = $repository
ORDER BY path, symbols, occurrences
