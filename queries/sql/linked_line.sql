-- Purpose: where a line of an indexed snapshot was changed last and where it was written first.
-- Parameters: repository, commit (the snapshot's), path, line
-- Columns: last_oid, last_path, last_line, origin_oid, origin_path, origin_line
SELECT last_oid, last_path, last_line + $line - first_line, origin_oid, origin_path, origin_line + $line - first_line
FROM line_origin
WHERE repository_id = $repository AND commit_oid = $commit AND path = $path
    AND $line BETWEEN first_line AND first_line + line_count - 1
