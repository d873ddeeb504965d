-- Purpose: the checkpoints that a commit's message names, whether the store has them or not.
-- Parameters: repository, oid
-- Columns: checkpoint_key, strategy, branch (both as recorded, null where they are not), created_at, is_known,
--   is_withdrawn, segment, start_byte, end_byte (of the trailer)
WITH named AS (
    SELECT value AS checkpoint_key, min(segment) AS segment, min(start_byte) AS start_byte, min(end_byte) AS end_byte
    FROM checkpoint_trailer
    WHERE repository_id = $repository AND commit_oid = $oid
    GROUP BY value
),
recorded AS (
    SELECT c.checkpoint_key, min(c.strategy) AS strategy, min(c.branch) AS branch, min(c.occurred_at) AS created_at,
        count(*) = count(w.event_id) AS is_withdrawn
    FROM checkpoint AS c
    LEFT JOIN withdrawn AS w USING (event_id)
    WHERE c.repository_id = $repository AND c.checkpoint_key IN (SELECT checkpoint_key FROM named)
    GROUP BY c.checkpoint_key
),
listed AS (
    SELECT checkpoint_key, min(branch) AS branch, min(occurred_at) AS created_at
    FROM checkpoint_session
    WHERE repository_id = $repository AND checkpoint_key IN (SELECT checkpoint_key FROM named)
    GROUP BY checkpoint_key
)
SELECT n.checkpoint_key, r.strategy, coalesce(r.branch, c.branch) AS branch,
    coalesce(r.created_at, c.created_at) AS created_at, r.checkpoint_key IS NOT NULL AS is_known,
    coalesce(r.is_withdrawn, false) AS is_withdrawn, n.segment, n.start_byte, n.end_byte
FROM named AS n
LEFT JOIN recorded AS r USING (checkpoint_key)
LEFT JOIN listed AS c USING (checkpoint_key)
ORDER BY n.start_byte
