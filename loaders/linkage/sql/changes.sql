-- Purpose: what lines commits changed, a row a hunk, in order; one without numbers for a commit without changes.
-- Parameters: repository
-- Columns: commit_oid, parent_oid, path, old_path, is_text, old_start, old_count, new_start, new_count, is_reflow
SELECT p.commit_oid, p.parent_oid, c.path, c.old_path, c.is_text, c.old_start, c.old_count, c.new_start, c.new_count,
    c.is_reflow
FROM commit_patch AS p
LEFT JOIN changed_lines AS c USING (repository_id, commit_oid, parent_oid)
WHERE p.repository_id = $repository AND p.problem IS NULL
ORDER BY p.commit_oid, p.parent_oid, c.path, c.old_path, coalesce(c.new_start, 0), coalesce(c.old_start, 0)
