-- Purpose: the blob of a file of an indexed snapshot.
-- Parameters: repository, commit, path
-- Columns: oid
SELECT e.oid
FROM tree_entry AS e
SEMI JOIN (SELECT tree_oid FROM snapshot WHERE repository_id = $repository AND commit_oid = $commit) AS s USING (tree_oid)
WHERE e.repository_id = $repository AND e.path = $path
LIMIT 1
