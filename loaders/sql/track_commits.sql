-- Purpose: commits of today's history that were not tracked by these rules yet, the oldest first.
-- Parameters: repository, rules
-- Columns: oid, segment, start_byte, end_byte (of the commit)
SELECT c.oid, c.segment, c.start_byte, c.end_byte
FROM present_commit AS c
ANTI JOIN (SELECT commit_oid AS oid FROM tracked_commit WHERE repository_id = $repository AND rules = $rules) USING (oid)
WHERE c.repository_id = $repository
ORDER BY c.committed_at, c.oid
