-- Purpose: the statements of SCIP indexes about the files of a snapshot as they are there.
-- Parameters: repository, paths, blobs (lists of one length: the files)
-- Columns: event_id
SELECT event_id
FROM present_scip_document
SEMI JOIN (SELECT unnest($paths) AS path, unnest($blobs) AS blob_oid) USING (path, blob_oid)
WHERE repository_id = $repository
ORDER BY event_id
