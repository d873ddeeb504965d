-- Purpose: commits that no reference leads to any more. What lies behind a boundary, where the clone is shallow or
--   a commit is missing, has not left: it only cannot be seen.
-- Parameters: $source; tables listed (oid: all commits that references lead to) and boundary (oid)
-- Columns: event_id
WITH RECURSIVE behind AS (
    SELECT oid FROM boundary
    UNION
    SELECT p.parent_oid
    FROM commit_parent AS p
    JOIN behind AS b ON p.commit_oid = b.oid
    WHERE p.source_id = $source
)
SELECT c.event_id
FROM "commit" AS c
ANTI JOIN withdrawn USING (event_id)
ANTI JOIN listed USING (oid)
ANTI JOIN behind USING (oid)
WHERE c.source_id = $source
ORDER BY c.oid
