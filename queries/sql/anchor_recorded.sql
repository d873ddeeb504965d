-- Purpose: what facts rest on under a name, whether it is there today or not: the beginning of an id, or the path of a
--   file.
-- Parameters: kind, name, repository (null for all)
-- Columns: id
SELECT DISTINCT anchor_id AS id
FROM fact_anchor
WHERE anchor_kind = $kind AND (
    starts_with(anchor_id, $name)
    OR ($kind = 'file' AND anchor_id IN (
        SELECT file_id(repository_id, $name) FROM repository WHERE $repository IS NULL OR repository_id = $repository
    ))
)
ORDER BY id
LIMIT 6
