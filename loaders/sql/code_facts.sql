-- Purpose: binding facts of the blobs of a snapshot.
-- Parameters: repository, commit, extractor
-- Columns: blob_oid, language, facts, error_count
WITH file AS (
    SELECT DISTINCT e.oid AS blob_oid
    FROM present_snapshot AS s
    JOIN tree_entry AS e USING (repository_id, tree_oid)
    WHERE s.repository_id = $repository AND s.commit_oid = $commit
)
SELECT blob_oid, language, facts, error_count
FROM binding_facts
SEMI JOIN file USING (blob_oid)
WHERE repository_id = $repository AND extractor = $extractor
