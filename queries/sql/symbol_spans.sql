-- Purpose: the lines of the symbols of the indexed snapshots, without anonymous ones.
-- Parameters: repository (null for all), path (a file or folder, null for all)
-- Columns: repository_id, path, symbol (descriptor), first_line, last_line
SELECT DISTINCT f.repository_id, f.path, y.descriptor AS symbol, y.start_line AS first_line, y.end_line AS last_line
FROM snapshot_file AS f
JOIN symbol AS y ON y.repository_id = f.repository_id AND y.blob_oid = f.oid
WHERE y.name <> '' AND ($repository IS NULL OR f.repository_id = $repository)
    AND ($path IS NULL OR f.path = $path OR starts_with(f.path, rtrim($path, '/') || '/'))
