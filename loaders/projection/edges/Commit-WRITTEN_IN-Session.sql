-- Purpose: sessions that the checkpoints of a commit recorded.
-- Columns: source, target, origin, confidence (1 where the checkpoint has one session, less where several share
--   it), checkpoint (its key)
SELECT
    commit_id(t.repository_id, t.commit_oid) AS source,
    session_id(s.session_key) AS target,
    'checkpoint' AS origin,
    round(1.0 / s.sessions, 4)::DOUBLE AS confidence,
    t.value AS checkpoint
FROM (SELECT DISTINCT repository_id, commit_oid, value FROM checkpoint_trailer) AS t
JOIN (
    SELECT DISTINCT repository_id, checkpoint_key, session_key,
        count(DISTINCT session_key) OVER (PARTITION BY repository_id, checkpoint_key) AS sessions
    FROM present_checkpoint_session
) AS s ON s.repository_id = t.repository_id AND s.checkpoint_key = t.value
