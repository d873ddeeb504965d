-- Purpose: the commit that a present reference leads to.
-- Columns: source, target
SELECT reference_id(repository_id, name) AS source, commit_id(repository_id, commit_oid) AS target
FROM present_reference
WHERE commit_oid IS NOT NULL
