-- Purpose: what people call some files and commits, also those that are gone.
-- Parameters: the table wanted (id)
-- Columns: id, name (path or object id)
SELECT f.id, f.path AS name
FROM (SELECT DISTINCT file_id(repository_id, path) AS id, path FROM tree_entry) AS f
SEMI JOIN wanted USING (id)
UNION ALL
SELECT c.id, c.oid AS name
FROM (SELECT DISTINCT commit_id(repository_id, oid) AS id, oid FROM "commit") AS c
SEMI JOIN wanted USING (id)
