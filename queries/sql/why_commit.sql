-- Purpose: a commit by its object id.
-- Parameters: repository, oid
-- Columns: title, author_name, authored_at, committed_at, segment, start_byte, end_byte
SELECT title, author_name, authored_at, committed_at, segment, start_byte, end_byte
FROM "commit"
WHERE repository_id = $repository AND oid = $oid
