-- Purpose: files that import the files which define some symbols, from outside of these.
-- Parameters: paths; repositories (of each path)
-- Columns: depth, id, name, kind, path, start_line (of the import), is_test, origin, confidence, detail, segment,
--   start_byte, end_byte (of the import)
SELECT 1 AS depth, file_id(i.repository_id, i.path) AS id, regexp_extract(i.path, '[^/]*$') AS name, 'file' AS kind,
    i.path, min(i.line) AS start_line, is_test_path(i.path) AS is_test, 'import' AS origin, 1.0::DOUBLE AS confidence,
    'imports ' || min(i.target_path) AS detail, arg_min(i.segment, i.start_byte) AS segment,
    min(i.start_byte) AS start_byte, arg_min(i.end_byte, i.start_byte) AS end_byte
FROM code_import AS i
JOIN (SELECT DISTINCT unnest($repositories) AS repository_id, unnest($paths) AS path) AS t
    ON t.repository_id = i.repository_id AND t.path = i.target_path
WHERE NOT list_contains($paths, i.path)
GROUP BY i.repository_id, i.path
ORDER BY is_test, i.path
