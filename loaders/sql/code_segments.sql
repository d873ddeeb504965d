-- Purpose: the segments of blobs whose bytes the store has because their code was read.
-- Parameters: repository, blobs (list of blob ids)
-- Columns: blob_oid, segment
SELECT blob_oid, min(segment) AS segment
FROM source_file
WHERE repository_id = $repository AND byte_count IS NOT NULL AND list_contains($blobs, blob_oid)
GROUP BY blob_oid
