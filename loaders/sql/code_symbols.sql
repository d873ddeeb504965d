-- Purpose: symbols of blobs.
-- Parameters: repository, extractor; table wanted (blob_oid)
-- Columns: blob_oid, language, then the fields of loaders.extraction.Symbol in order
SELECT blob_oid, language, ordinal, parent_ordinal, symbol_kind, name, descriptor, overload, disambiguator, signature,
    start_byte, end_byte, name_start, name_end, body_start, body_end, doc_start, doc_end, start_line, name_line,
    end_line, body_hash, blank_hash, is_exported, decorators
FROM symbol
SEMI JOIN wanted USING (blob_oid)
WHERE repository_id = $repository AND extractor = $extractor
ORDER BY blob_oid, language, ordinal
