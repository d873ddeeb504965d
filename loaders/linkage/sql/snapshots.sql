-- Purpose: the indexed snapshots.
-- Columns: repository_id, commit_oid
SELECT DISTINCT repository_id, commit_oid FROM present_snapshot ORDER BY repository_id, commit_oid
