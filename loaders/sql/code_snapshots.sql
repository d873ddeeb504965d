-- Purpose: the root trees whose code is indexed now.
-- Columns: repository_id, tree_oid
SELECT DISTINCT repository_id, tree_oid FROM present_snapshot ORDER BY repository_id, tree_oid
