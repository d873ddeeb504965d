-- Purpose: a commit's parents, the first one at position 0.
-- Columns: source, target, position
SELECT
    commit_id(repository_id, commit_oid) AS source,
    commit_id(repository_id, parent_oid) AS target,
    position
FROM commit_parent
