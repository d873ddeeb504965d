-- Purpose: sessions that the checkpoints of a commit recorded.
-- Columns: source, target, origin, confidence (1 where the checkpoint has one session, less where several share
--   it), checkpoint (its key), withdrawn (the commit or the recording left its source)
WITH named AS (
    SELECT DISTINCT t.repository_id, t.commit_oid, t.value AS checkpoint_key, c.oid IS NOT NULL AS is_present
    FROM checkpoint_trailer AS t
    LEFT JOIN present_commit AS c ON c.repository_id = t.repository_id AND c.oid = t.commit_oid
),
shared AS (
    SELECT *, count(*) OVER (PARTITION BY repository_id, checkpoint_key, is_present) AS sessions FROM captured
)
SELECT
    commit_id(n.repository_id, n.commit_oid) AS source,
    session_id(s.session_key) AS target,
    'checkpoint' AS origin,
    round(1.0 / s.sessions, 4)::DOUBLE AS confidence,
    n.checkpoint_key AS checkpoint,
    NOT (n.is_present AND s.is_present) AS withdrawn
FROM named AS n
JOIN shared AS s USING (repository_id, checkpoint_key)
