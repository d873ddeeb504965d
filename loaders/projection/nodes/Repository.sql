-- Purpose: one node a repository.
-- Columns: id, root_oid, object_format
SELECT repository_id AS id, min(root_oid) AS root_oid, min(object_format) AS object_format
FROM repository
GROUP BY repository_id
