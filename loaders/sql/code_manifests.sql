-- Purpose: files of a snapshot that say how its code is packaged.
-- Parameters: repository, commit, extractor
-- Columns: path, segment, start_byte, end_byte
SELECT DISTINCT f.path, f.segment, f.start_byte, f.end_byte
FROM present_snapshot AS s
JOIN tree_entry AS e USING (repository_id, tree_oid)
JOIN source_file AS f ON f.repository_id = e.repository_id AND f.path = e.path AND f.blob_oid = e.oid
WHERE s.repository_id = $repository AND s.commit_oid = $commit AND f.extractor = $extractor
    AND f.status = 'manifest'
ORDER BY f.path
