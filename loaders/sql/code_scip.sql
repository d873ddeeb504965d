-- Purpose: what SCIP indexes say of the files of a snapshot as they are there.
-- Parameters: repository, commit
-- Columns: path, symbols, occurrences, implementations
SELECT DISTINCT d.path, d.symbols, d.occurrences, d.implementations
FROM present_snapshot AS s
JOIN tree_entry AS e USING (repository_id, tree_oid)
JOIN present_scip_document AS d ON d.repository_id = e.repository_id AND d.path = e.path AND d.blob_oid = e.oid
WHERE s.repository_id = $repository AND s.commit_oid = $commit
ORDER BY d.path, d.symbols, d.occurrences
