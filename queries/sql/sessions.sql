-- Purpose: agent sessions, the newest or the oldest first.
-- Parameters: limit, oldest_first; and those of the filters that stand where the word matching is
-- Columns: session, agent, branch, started_at, ended_at, turns, tool_calls, checkpoints, commits, files, first_prompt,
--   is_kept (its host has deleted it)
-- Turns are looked up for the sessions that are given only: their places are what costs.
WITH matching AS (
    /* filters */
    SELECT session_key FROM session_time
),
captured_session AS (
    SELECT session_key, list(DISTINCT branch ORDER BY branch) FILTER (branch IS NOT NULL) AS branches,
        count(DISTINCT checkpoint_key) AS checkpoints
    FROM present_checkpoint_session
    GROUP BY session_key
),
chosen AS (
    SELECT session_key, coalesce(t.started_at, t.created_at) AS started_at, t.ended_at
    FROM session_time AS t
    SEMI JOIN matching USING (session_key)
    ORDER BY CASE WHEN $oldest_first THEN coalesce(t.started_at, t.created_at) END NULLS LAST,
        coalesce(t.started_at, t.created_at) DESC NULLS LAST, session_key
    LIMIT $limit
),
started AS (
    SELECT session_key, t.segment, t.occurrence, t.entry_key, t.prompt, e.git_branch
    FROM turn_start AS t
    SEMI JOIN chosen USING (session_key)
    JOIN entry AS e USING (session_key, event_id)
),
-- As record_place, of the lines that begin a turn.
placed AS (
    SELECT session_key, segment, occurrence, min((rank, ordinal)) AS position
    FROM (
        SELECT d.session_key, d.rank, d.is_present, p.segment, p.ordinal,
            row_number() OVER (PARTITION BY d.session_key, d.file, p.segment ORDER BY d.rank, p.ordinal) - 1
                AS occurrence
        FROM session_document AS d
        JOIN part AS p USING (document_id)
        SEMI JOIN started AS s ON s.session_key = d.session_key AND s.segment = p.segment
    )
    WHERE is_present
    GROUP BY session_key, segment, occurrence
),
turned AS (
    SELECT session_key, count(DISTINCT (entry_key, occurrence)) AS turns,
        left(arg_min(prompt, position), 200) AS first_prompt, min(git_branch) AS git_branch
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
    SELECT session_key,
        coalesce(nullif(count(DISTINCT path) FILTER (origin = 'metadata'), 0),
            nullif(count(DISTINCT path) FILTER (access = 'write' AND origin <> 'command'), 0),
            count(DISTINCT path) FILTER (access = 'write')) AS files
    FROM file_touch WHERE session_key IS NOT NULL GROUP BY session_key
),
deleted AS (
    SELECT session_key, bool_and(event_id IN (FROM kept)) AS is_kept
    FROM present_document WHERE checkpoint_key IS NULL AND role = 'transcript' GROUP BY session_key
)
SELECT
    session_key AS session,
    a.agent,
    coalesce(c.branches[1], turned.git_branch) AS branch,
    started_at,
    ended_at,
    coalesce(turns, 0) AS turns,
    coalesce(tool_calls, 0) AS tool_calls,
    coalesce(checkpoints, 0) AS checkpoints,
    coalesce(commits, 0) AS commits,
    coalesce(files, 0) AS files,
    first_prompt,
    coalesce(is_kept AND checkpoints IS NULL, false) AS is_kept
FROM chosen
LEFT JOIN session_agent AS a USING (session_key)
LEFT JOIN captured_session AS c USING (session_key)
LEFT JOIN turned USING (session_key)
LEFT JOIN called USING (session_key)
LEFT JOIN committed USING (session_key)
LEFT JOIN touched USING (session_key)
LEFT JOIN deleted USING (session_key)
ORDER BY CASE WHEN $oldest_first THEN started_at END NULLS LAST, started_at DESC NULLS LAST, session
