-- Purpose: files of a snapshot that were extracted, and the segment of their bytes.
-- Parameters: repository, commit, extractor
-- Columns: path, blob_oid, language, segment
SELECT DISTINCT f.path, f.blob_oid, f.language, f.segment
FROM present_snapshot AS s
JOIN tree_entry AS e USING (repository_id, tree_oid)
JOIN source_file AS f ON f.repository_id = e.repository_id AND f.path = e.path AND f.blob_oid = e.oid
WHERE s.repository_id = $repository AND s.commit_oid = $commit AND f.extractor = $extractor
    AND f.status IN ('parsed', 'partial')
ORDER BY f.path
