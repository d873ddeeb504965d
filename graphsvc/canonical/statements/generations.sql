-- Purpose: the published generations, the newest first.
-- Columns: those of generation
SELECT number, root_digest, watermark, receipt, projection_version, schema_fingerprint, engine, folder, seal,
    file_size, file_mtime, labels, coverage, text_index, published_at
FROM generation
ORDER BY number DESC
