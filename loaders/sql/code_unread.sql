-- Purpose: files of the indexed snapshots that this extractor has not seen yet.
-- Parameters: repository, extractor
-- Columns: path, blob_oid, segment, start_byte, end_byte (of the tree entry)
SELECT DISTINCT e.path, e.oid AS blob_oid, e.segment, e.start_byte, e.end_byte
FROM present_snapshot AS s
JOIN tree_entry AS e USING (repository_id, tree_oid)
ANTI JOIN (
    SELECT repository_id, path, blob_oid FROM source_file WHERE extractor = $extractor
) AS f ON f.repository_id = e.repository_id AND f.path = e.path AND f.blob_oid = e.oid
WHERE s.repository_id = $repository AND e.entry_type IN ('file', 'executable')
ORDER BY e.path
