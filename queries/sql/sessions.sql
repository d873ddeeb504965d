-- Purpose: agent sessions, the newest first.
-- Parameters: since, before (timestamps or null), agent, branch (texts or null), limit
-- Columns: session, agent, branch, started_at, ended_at, turns, tool_calls, checkpoints, commits, files, first_prompt
-- Turns are looked up for the sessions that are given only: their places are what costs.
WITH captured AS (
    SELECT session_key, arg_min(agent, (occurred_at, event_id)) AS agent,
        list(DISTINCT branch) FILTER (branch IS NOT NULL) AS branches, min(occurred_at) AS created_at,
        count(DISTINCT checkpoint_key) AS checkpoints
    FROM present_checkpoint_session
    GROUP BY session_key
),
-- Lines that only withdrawn documents of a session hold.
gone AS (
    SELECT d.session_key, p.segment
    FROM session_document AS d
    SEMI JOIN (SELECT session_key FROM session_document WHERE NOT is_present) AS partly USING (session_key)
    JOIN part AS p USING (document_id)
    GROUP BY d.session_key, p.segment
    HAVING NOT bool_or(d.is_present)
),
recorded AS (
    SELECT session_key, min(occurred_at) AS started_at, max(occurred_at) AS ended_at
    FROM entry ANTI JOIN gone USING (session_key, segment)
    GROUP BY session_key
),
chosen AS (
    SELECT session_key, c.agent, c.branches[1] AS branch, coalesce(r.started_at, c.created_at) AS started_at,
        r.ended_at, c.checkpoints
    FROM captured AS c
    FULL JOIN recorded AS r USING (session_key)
    WHERE ($since IS NULL OR coalesce(r.ended_at, c.created_at) >= $since::TIMESTAMP)
        AND ($before IS NULL OR coalesce(r.started_at, c.created_at) < $before::TIMESTAMP)
        AND ($agent IS NULL OR lower(c.agent) = lower($agent))
        AND ($branch IS NULL OR list_contains(c.branches, $branch))
    ORDER BY coalesce(r.started_at, c.created_at) DESC NULLS LAST, session_key
    LIMIT $limit
),
started AS (
    SELECT session_key, segment, occurrence, prompt FROM turn_start SEMI JOIN chosen USING (session_key)
),
-- As record_place, of the lines that begin a turn.
placed AS (
    SELECT session_key, segment, occurrence, min((rank, ordinal)) AS position
    FROM (
        SELECT d.session_key, d.rank, d.is_present, p.segment, p.ordinal,
            row_number() OVER (PARTITION BY d.session_key, d.rank, p.segment ORDER BY p.ordinal) - 1 AS occurrence
        FROM session_document AS d
        JOIN part AS p USING (document_id)
        SEMI JOIN started AS s ON s.session_key = d.session_key AND s.segment = p.segment
    )
    WHERE is_present
    GROUP BY session_key, segment, occurrence
),
turned AS (
    SELECT session_key, count(*) AS turns, left(arg_min(prompt, position), 200) AS first_prompt
    FROM started JOIN placed USING (session_key, segment, occurrence)
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
    session_key AS session,
    agent,
    branch,
    started_at,
    ended_at,
    coalesce(turns, 0) AS turns,
    coalesce(tool_calls, 0) AS tool_calls,
    coalesce(checkpoints, 0) AS checkpoints,
    coalesce(commits, 0) AS commits,
    coalesce(files, 0) AS files,
    first_prompt
FROM chosen
LEFT JOIN turned USING (session_key)
LEFT JOIN called USING (session_key)
LEFT JOIN committed USING (session_key)
LEFT JOIN touched USING (session_key)
ORDER BY started_at DESC NULLS LAST, session
