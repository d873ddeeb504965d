-- Purpose: the lines that commits added and that can be recognized.
-- Parameters: repository
-- Columns: commit_oid, path, line, line_key
SELECT commit_oid, path, line, line_key FROM added_line WHERE repository_id = $repository AND is_telling
