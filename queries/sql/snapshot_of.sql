-- Purpose: the indexed snapshots that have a path.
-- Parameters: path, name (of the source, or null)
-- Columns: repository_id, commit_oid, locator, name, reference
SELECT DISTINCT p.repository_id, p.commit_oid, s.locator, s.name, p.reference
FROM present_snapshot AS p
JOIN tree_entry AS e USING (repository_id, tree_oid)
JOIN source AS s ON s.source_id = p.source_id
WHERE e.path = $path AND e.entry_type <> 'submodule' AND ($name IS NULL OR s.name = $name)
ORDER BY s.name, p.reference <> 'HEAD', p.reference
