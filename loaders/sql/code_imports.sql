-- Purpose: imports of blobs.
-- Parameters: repository, extractor; table wanted (blob_oid)
-- Columns: blob_oid, language, then the fields of loaders.extraction.Import in order
SELECT blob_oid, language, ordinal, module, imported_name, local_name, level, is_star, start_byte, end_byte, line,
    scope_ordinal
FROM import_binding
SEMI JOIN wanted USING (blob_oid)
WHERE repository_id = $repository AND extractor = $extractor
ORDER BY blob_oid, language, ordinal
