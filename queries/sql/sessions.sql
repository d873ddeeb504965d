-- Purpose: agent sessions, the newest first.
-- Parameters: since, before (timestamps or null), agent, branch (texts or null), limit
-- Columns: session, agent, branch, started_at, ended_at, turns, tool_calls, checkpoints, commits, files, first_prompt
WITH captured AS (
    SELECT session_key, arg_min(agent, (occurred_at, event_id)) AS agent,
        list(DISTINCT branch) FILTER (branch IS NOT NULL) AS branches, min(occurred_at) AS created_at,
        count(DISTINCT checkpoint_key) AS checkpoints
    FROM present_checkpoint_session
    GROUP BY session_key
),
recorded AS (
    SELECT session_key, min(occurred_at) AS started_at, max(occurred_at) AS ended_at, count(turn_start) AS turns,
        arg_min(turn_start, position) FILTER (turn_start IS NOT NULL) AS first_turn
    FROM timeline
    WHERE is_present
    GROUP BY session_key
),
called AS (
    SELECT session_key, count(DISTINCT call_key) AS tool_calls FROM tool_call GROUP BY session_key
),
committed AS (
    SELECT s.session_key, count(DISTINCT t.commit_oid) AS commits
    FROM present_checkpoint_session AS s
    JOIN checkpoint_trailer AS t ON t.repository_id = s.repository_id AND t.value = s.checkpoint_key
    GROUP BY s.session_key
),
touched AS (
    SELECT session_key, count(DISTINCT path) AS files
    FROM file_touch WHERE origin = 'metadata' AND session_key IS NOT NULL GROUP BY session_key
)
SELECT
    coalesce(c.session_key, r.session_key) AS session,
    c.agent,
    c.branches[1] AS branch,
    coalesce(r.started_at, c.created_at) AS started_at,
    r.ended_at,
    coalesce(r.turns, 0) AS turns,
    coalesce(k.tool_calls, 0) AS tool_calls,
    coalesce(c.checkpoints, 0) AS checkpoints,
    coalesce(m.commits, 0) AS commits,
    coalesce(f.files, 0) AS files,
    left(p.text, 200) AS first_prompt
FROM captured AS c
FULL JOIN recorded AS r ON r.session_key = c.session_key
LEFT JOIN called AS k ON k.session_key = coalesce(c.session_key, r.session_key)
LEFT JOIN committed AS m ON m.session_key = c.session_key
LEFT JOIN touched AS f ON f.session_key = c.session_key
LEFT JOIN entry AS e ON e.event_id = 'event_' || substr(r.first_turn, 6)
LEFT JOIN prompt AS p ON p.session_key = e.session_key AND p.entry_key = e.entry_key AND p.occurrence = e.occurrence
WHERE ($since IS NULL OR coalesce(r.ended_at, c.created_at) >= $since::TIMESTAMP)
    AND ($before IS NULL OR coalesce(r.started_at, c.created_at) < $before::TIMESTAMP)
    AND ($agent IS NULL OR lower(c.agent) = lower($agent))
    AND ($branch IS NULL OR list_contains(c.branches, $branch))
ORDER BY coalesce(r.started_at, c.created_at) DESC NULLS LAST, session
LIMIT $limit
