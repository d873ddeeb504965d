-- Purpose: which file imports which.
-- Columns: source, target, name and target_name (paths), line (of the first import)
SELECT file_id(repository_id, path) AS source, file_id(repository_id, target_path) AS target, path AS name,
    target_path AS target_name, min(line) AS line
FROM code_import
WHERE path <> target_path
GROUP BY repository_id, path, target_path
ORDER BY path, target_path
