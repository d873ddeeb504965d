-- Purpose: the lines of the symbols of one indexed snapshot a repository, HEAD where it is indexed; without anonymous ones.
-- Parameters: repository (null for all), path (a file or folder, null for all)
-- Columns: repository_id, path, symbol (descriptor), first_line, last_line
WITH place AS (
    SELECT repository_id, tree_oid
    FROM present_snapshot
    QUALIFY row_number() OVER (PARTITION BY repository_id ORDER BY reference <> 'HEAD', reference) = 1
)
SELECT DISTINCT e.repository_id, e.path, y.descriptor AS symbol, y.start_line AS first_line, y.end_line AS last_line
FROM tree_entry AS e
JOIN place AS p USING (repository_id, tree_oid)
JOIN symbol AS y ON y.repository_id = e.repository_id AND y.blob_oid = e.oid
WHERE y.name <> '' AND ($repository IS NULL OR e.repository_id = $repository)
    AND ($path IS NULL OR e.path = $path OR starts_with(e.path, rtrim($path, '/') || '/'))
