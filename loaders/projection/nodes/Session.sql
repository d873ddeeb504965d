-- Purpose: one node an agent session, over all its transcripts and checkpoints.
-- Columns: id, key, agent, started_at, ended_at, record_count, turn_count, tool_call_count, checkpoint_count,
--   has_transcript, withdrawn
-- A session without a present transcript or checkpoint is marked withdrawn; counts are of what is present. A session
-- that is only known from a link to it has no records, and is withdrawn with that link.
WITH known AS (
    SELECT session_key FROM checkpoint_session
    UNION
    SELECT session_key FROM entry
    UNION
    SELECT parent_key FROM session_link
    UNION
    SELECT child_key FROM session_link
),
captured AS (
    SELECT session_key, min(occurred_at) AS created_at,
        count(DISTINCT checkpoint_key) AS checkpoint_count
    FROM present_checkpoint_session
    GROUP BY session_key
),
recorded AS (
    SELECT session_key, min(occurred_at) AS started_at, max(occurred_at) AS ended_at, count(*) AS record_count,
        count(turn_start) AS turn_count
    FROM timeline WHERE is_present
    GROUP BY session_key
),
called AS (
    SELECT session_key, count(*) AS tool_call_count FROM session_tool_call WHERE is_present GROUP BY session_key
)
SELECT
    session_id(k.session_key) AS id,
    k.session_key AS key,
    a.agent,
    coalesce(r.started_at, c.created_at) AS started_at,
    r.ended_at,
    coalesce(r.record_count, 0) AS record_count,
    coalesce(r.turn_count, 0) AS turn_count,
    coalesce(t.tool_call_count, 0) AS tool_call_count,
    coalesce(c.checkpoint_count, 0) AS checkpoint_count,
    r.session_key IS NOT NULL AS has_transcript,
    r.session_key IS NULL AND c.session_key IS NULL
        AND (
            k.session_key IN (SELECT session_key FROM checkpoint_session UNION SELECT session_key FROM entry)
            OR k.session_key IN (SELECT session_key FROM session_spawn WHERE NOT is_present)
        ) AS withdrawn
FROM known AS k
LEFT JOIN session_agent AS a USING (session_key)
LEFT JOIN captured AS c USING (session_key)
LEFT JOIN recorded AS r USING (session_key)
LEFT JOIN called AS t USING (session_key)
