-- Purpose: files of an indexed snapshot that a file imports.
-- Columns: source, target, origin, confidence, line, segment, start_byte, end_byte (of the first import)
SELECT
    file_id(repository_id, path) AS source,
    file_id(repository_id, target_path) AS target,
    'import' AS origin,
    1.0::DOUBLE AS confidence,
    min(line) AS line,
    arg_min(segment, start_byte) AS segment,
    min(start_byte) AS start_byte,
    arg_min(end_byte, start_byte) AS end_byte
FROM code_import
GROUP BY repository_id, path, target_path
