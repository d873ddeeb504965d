-- Purpose: a checkpoint, the sessions that it recorded, and the commits that name it, the newest first.
-- Parameters: checkpoint
-- Columns: step, key, text, occurred_at, origin, segment, start_byte, end_byte
SELECT 'checkpoint' AS step, checkpoint_key AS key, concat_ws(' on branch ', coalesce(strategy, 'strategy not recorded'), branch) AS text,
    occurred_at, 'asked' AS origin, segment, start_byte, end_byte
FROM (SELECT * FROM checkpoint WHERE checkpoint_key = $checkpoint ORDER BY seq LIMIT 1)
UNION ALL
SELECT 'session', session_key, coalesce(min(agent), 'agent not recorded'), min(occurred_at), 'checkpoint',
    min(segment), arg_min(start_byte, segment), arg_min(end_byte, segment)
FROM present_checkpoint_session WHERE checkpoint_key = $checkpoint GROUP BY session_key
UNION ALL
SELECT 'commit', t.commit_oid, min(c.title), min(c.authored_at), 'trailer', min(t.segment),
    arg_min(t.start_byte, t.segment), arg_min(t.end_byte, t.segment)
FROM checkpoint_trailer AS t
JOIN present_commit AS c ON c.repository_id = t.repository_id AND c.oid = t.commit_oid
WHERE t.value = $checkpoint GROUP BY t.commit_oid
ORDER BY step, occurred_at DESC
