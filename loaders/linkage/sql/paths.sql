-- Purpose: every path that a repository had, and the one before where a commit renamed it.
-- Columns: repository_id, path, old_path (null where it was not renamed)
SELECT DISTINCT repository_id, path, CASE WHEN old_path <> path THEN old_path END AS old_path
FROM changed_lines WHERE path IS NOT NULL
UNION
SELECT repository_id, path, NULL FROM known_file
ORDER BY ALL
