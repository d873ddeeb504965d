-- Purpose: the commits whose code is indexed now.
-- Columns: repository_id, commit_oid
SELECT DISTINCT repository_id, commit_oid FROM present_snapshot ORDER BY repository_id, commit_oid
