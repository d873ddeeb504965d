-- Purpose: checkpoints, the newest first, from their metadata alone.
-- Parameters: since, before (timestamps or null), branch (or null), limit
-- Columns: checkpoint, created_at, branch, strategy, agents, sessions (ids), files, commits, repository_id, segment,
--   start_byte, end_byte (of its metadata)
WITH member AS (
    SELECT repository_id, checkpoint_key, min(occurred_at) AS created_at,
        list(DISTINCT agent ORDER BY agent) FILTER (agent IS NOT NULL) AS agents,
        list(DISTINCT session_key ORDER BY session_key) AS sessions, min(branch) AS branch
    FROM present_checkpoint_session
    GROUP BY repository_id, checkpoint_key
),
named AS (
    SELECT repository_id, value AS checkpoint_key, count(DISTINCT commit_oid) AS commits
    FROM checkpoint_trailer
    GROUP BY repository_id, value
)
SELECT c.checkpoint_key AS checkpoint, m.created_at, coalesce(c.branch, m.branch) AS branch, c.strategy, m.agents,
    m.sessions, coalesce(len(c.files_touched), 0) AS files, coalesce(n.commits, 0) AS commits, c.repository_id,
    c.segment, c.start_byte, c.end_byte
FROM present_checkpoint AS c
LEFT JOIN member AS m USING (repository_id, checkpoint_key)
LEFT JOIN named AS n USING (repository_id, checkpoint_key)
WHERE ($since IS NULL OR m.created_at >= $since::TIMESTAMP) AND ($before IS NULL OR m.created_at < $before::TIMESTAMP)
    AND ($branch IS NULL OR coalesce(c.branch, m.branch) = $branch)
ORDER BY m.created_at DESC NULLS LAST, checkpoint
LIMIT $limit
