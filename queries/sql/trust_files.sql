-- Purpose: the files of the indexed snapshots whose bytes the store has, by the SHA-256 of their content.
-- Parameters: none
-- Columns: path, contents (SHA-256 of the content in each snapshot)
SELECT e.path, list(DISTINCT c.segment) AS contents
FROM tree_entry AS e
SEMI JOIN present_snapshot AS s USING (repository_id, tree_oid)
JOIN source_file AS c ON c.repository_id = e.repository_id AND c.path = e.path AND c.blob_oid = e.oid
WHERE c.status IN ('parsed', 'partial', 'manifest')
GROUP BY e.path
