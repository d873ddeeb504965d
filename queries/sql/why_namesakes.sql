-- Purpose: other files of a repository with the same name as a path.
-- Parameters: repository, path, name (the path's last part)
-- Columns: path
SELECT DISTINCT path
FROM known_file
WHERE repository_id = $repository AND path <> $path AND (path = $name OR ends_with(path, '/' || $name))
