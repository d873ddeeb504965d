-- Purpose: commits whose object id begins with a text, and whether they are still in their repository.
-- Parameters: oid
-- Columns: id, oid
SELECT DISTINCT commit_id(repository_id, oid) AS id, oid
FROM present_commit
WHERE starts_with(oid, $oid)
ORDER BY oid, id
LIMIT 6
