-- Purpose: a commit by its object id.
-- Parameters: repository, oid
-- Columns: title, author_name, authored_at, committed_at, parent_authored_at (of the first parent, null where there is
--   none), segment, start_byte, end_byte
SELECT title, author_name, authored_at, committed_at, (
        SELECT max(c.authored_at)
        FROM commit_parent AS p
        JOIN "commit" AS c ON c.repository_id = p.repository_id AND c.oid = p.parent_oid
        WHERE p.repository_id = $repository AND p.commit_oid = $oid AND p.position = 0
    ) AS parent_authored_at,
    segment, start_byte, end_byte
FROM "commit"
WHERE repository_id = $repository AND oid = $oid
