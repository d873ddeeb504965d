-- Purpose: the sessions that commits are linked to: those that their messages lead to, which is certain, and others.
-- Reads the temporary table inferred_link (repository_id, commit_oid, session_key, confidence).
-- Columns: repository_id, commit_oid, session_key, confidence (thousandths).
SELECT repository_id, commit_oid, session_key, max(confidence) AS confidence
FROM (
    SELECT t.repository_id, t.commit_oid, c.session_key, 1000 AS confidence
    FROM checkpoint_trailer AS t
    JOIN captured AS c ON c.repository_id = t.repository_id AND c.checkpoint_key = t.value
    UNION ALL
    SELECT repository_id, commit_oid, session_key, confidence FROM inferred_link
)
GROUP BY repository_id, commit_oid, session_key
