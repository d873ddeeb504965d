-- Purpose: commits of bots that are linked to a session.
-- Columns: count
SELECT count(DISTINCT l.commit_oid)
FROM commit_session AS l
JOIN present_commit AS c ON c.repository_id = l.repository_id AND c.oid = l.commit_oid
WHERE l.confidence >= 700 AND contains(lower(c.author_name || c.author_email), '[bot]')
