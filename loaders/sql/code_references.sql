-- Purpose: references of blobs.
-- Parameters: repository, extractor; table wanted (blob_oid)
-- Columns: blob_oid, language, then the fields of loaders.extraction.Reference in order
SELECT blob_oid, language, ordinal, reference_kind, name, receiver, start_byte, end_byte, line, scope_ordinal
FROM symbol_reference
SEMI JOIN wanted USING (blob_oid)
WHERE repository_id = $repository AND extractor = $extractor
ORDER BY blob_oid, language, ordinal
