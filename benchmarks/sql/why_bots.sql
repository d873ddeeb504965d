-- Purpose: commits of bots that are linked to a session.
-- Parameters: linked (least confidence of a link)
-- Columns: count
SELECT count(DISTINCT l.commit_oid)
FROM commit_session AS l
JOIN present_commit AS c ON c.repository_id = l.repository_id AND c.oid = l.commit_oid
WHERE l.confidence >= $linked AND by_bot(c.author_name, c.author_email)
