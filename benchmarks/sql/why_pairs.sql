-- Purpose: the sessions that linking finds for commits whose message leads to sessions, and whether it leads to these.
-- Columns: commit_oid, session_key, confidence (thousandths), is_true
WITH stated AS (
    SELECT DISTINCT t.repository_id, t.commit_oid, s.session_key
    FROM checkpoint_trailer AS t
    JOIN captured AS s ON s.repository_id = t.repository_id AND s.checkpoint_key = t.value
)
SELECT l.commit_oid, l.session_key, l.confidence, s.session_key IS NOT NULL AS is_true
FROM commit_session AS l
SEMI JOIN stated AS known USING (repository_id, commit_oid)
LEFT JOIN stated AS s USING (repository_id, commit_oid, session_key)
ORDER BY l.commit_oid, l.session_key
