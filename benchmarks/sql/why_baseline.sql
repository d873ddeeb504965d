-- Purpose: what a simple rule finds: the session that edited most of a commit's files in the three hours before.
-- Columns: commit_oid, session_key, confidence (1000), is_true
WITH stated AS (
    SELECT DISTINCT t.repository_id, t.commit_oid, s.session_key
    FROM checkpoint_trailer AS t
    JOIN captured AS s ON s.repository_id = t.repository_id AND s.checkpoint_key = t.value
),
edited AS (
    SELECT f.repository_id, f.commit_oid, t.session_key, count(DISTINCT f.path) AS files, max(t.occurred_at) AS at_last
    FROM present_file_change AS f
    JOIN present_commit AS c ON c.repository_id = f.repository_id AND c.oid = f.commit_oid
    JOIN touched_file AS t ON t.repository_id = f.repository_id AND t.path = f.path AND t.access = 'write'
        AND t.occurred_at BETWEEN c.authored_at - INTERVAL 3 HOUR AND c.authored_at + INTERVAL 5 MINUTE
    GROUP BY f.repository_id, f.commit_oid, t.session_key
    QUALIFY row_number() OVER (
        PARTITION BY f.repository_id, f.commit_oid ORDER BY files DESC, at_last DESC, t.session_key) = 1
)
SELECT e.commit_oid, e.session_key, 1000 AS confidence, s.session_key IS NOT NULL AS is_true
FROM edited AS e
SEMI JOIN stated AS known USING (repository_id, commit_oid)
LEFT JOIN stated AS s USING (repository_id, commit_oid, session_key)
