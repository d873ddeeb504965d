-- Purpose: what became of the files of a snapshot.
-- Parameters: repository, tree, extractor
-- Columns: path, blob_oid, language, segment (of the whole blob, where it was read), status, reason, error_count,
--   line_count
SELECT e.path, f.blob_oid, f.language, CASE WHEN f.byte_count IS NULL THEN NULL ELSE f.segment END AS segment, f.status,
    f.reason, f.error_count, f.line_count
FROM tree_entry AS e
JOIN source_file AS f ON f.repository_id = e.repository_id AND f.path = e.path AND f.blob_oid = e.oid
WHERE e.repository_id = $repository AND e.tree_oid = $tree AND f.extractor = $extractor
ORDER BY e.path
