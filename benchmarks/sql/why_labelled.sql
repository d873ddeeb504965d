-- Purpose: commits whose message leads to recorded sessions.
-- Columns: commit_oid, authored_at
SELECT DISTINCT t.commit_oid, c.authored_at
FROM checkpoint_trailer AS t
JOIN captured AS s ON s.repository_id = t.repository_id AND s.checkpoint_key = t.value
JOIN present_commit AS c ON c.repository_id = t.repository_id AND c.oid = t.commit_oid
ORDER BY t.commit_oid
