-- Purpose: binding facts of blobs.
-- Parameters: repository, extractor; table wanted (blob_oid)
-- Columns: blob_oid, language, facts, error_count
SELECT blob_oid, language, facts, error_count
FROM binding_facts
SEMI JOIN wanted USING (blob_oid)
WHERE repository_id = $repository AND extractor = $extractor
