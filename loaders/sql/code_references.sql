-- Purpose: references of the blobs of a snapshot.
-- Parameters: repository, commit, extractor
-- Columns: blob_oid, language, then the fields of loaders.extraction.Reference in order
WITH file AS (
    SELECT DISTINCT e.oid AS blob_oid
    FROM present_snapshot AS s
    JOIN tree_entry AS e USING (repository_id, tree_oid)
    WHERE s.repository_id = $repository AND s.commit_oid = $commit
)
SELECT blob_oid, language, ordinal, reference_kind, name, receiver, start_byte, end_byte, line, scope_ordinal
FROM symbol_reference
SEMI JOIN file USING (blob_oid)
WHERE repository_id = $repository AND extractor = $extractor
ORDER BY blob_oid, language, ordinal
