-- Purpose: commits that are indexed now.
-- Columns: name (of the source), reference, commit_oid
SELECT coalesce(s.name, p.repository_id) AS name, p.reference, p.commit_oid
FROM present_snapshot AS p
LEFT JOIN source AS s USING (source_id)
ORDER BY name, reference
