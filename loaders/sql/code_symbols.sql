-- Purpose: symbols of the blobs of a snapshot.
-- Parameters: repository, commit, extractor
-- Columns: blob_oid, language, then the fields of loaders.extraction.Symbol in order
WITH file AS (
    SELECT DISTINCT e.oid AS blob_oid
    FROM present_snapshot AS s
    JOIN tree_entry AS e USING (repository_id, tree_oid)
    WHERE s.repository_id = $repository AND s.commit_oid = $commit
)
SELECT blob_oid, language, ordinal, parent_ordinal, symbol_kind, name, descriptor, overload, disambiguator, signature,
    start_byte, end_byte, name_start, name_end, body_start, body_end, doc_start, doc_end, start_line, name_line,
    end_line, body_hash, blank_hash, is_exported, decorators
FROM symbol
SEMI JOIN file USING (blob_oid)
WHERE repository_id = $repository AND extractor = $extractor
ORDER BY blob_oid, language, ordinal
