-- Purpose: the sessions that messages of commits lead to.
-- Columns: repository_id, commit_oid, session_key
SELECT t.repository_id, t.commit_oid, s.session_key
FROM checkpoint_trailer AS t
JOIN captured AS s ON s.repository_id = t.repository_id AND s.checkpoint_key = t.value AND s.is_present
