-- Purpose: the sessions that a commit may come from by evidence other than its message, the surest first.
-- Parameters: repository, commit
-- Columns: session_key, agent, started_at, origin, confidence (thousandths), evidence, line_count, line_total, call_key,
--   segment, start_byte, end_byte
WITH link AS (
    SELECT session_key, origin, confidence, evidence, line_count, line_total, call_key, segment, start_byte, end_byte
    FROM commit_session
    WHERE repository_id = $repository AND commit_oid = $commit
),
agent AS (
    SELECT session_key, min(agent) AS agent
    FROM (
        SELECT session_key, agent FROM checkpoint_session UNION ALL SELECT session_key, agent FROM host_session
    )
    WHERE session_key IN (SELECT session_key FROM link)
    GROUP BY session_key
),
begun AS (
    SELECT session_key, min(occurred_at) AS started_at
    FROM entry WHERE session_key IN (SELECT session_key FROM link)
    GROUP BY session_key
)
SELECT l.session_key, a.agent, b.started_at, l.origin, l.confidence, l.evidence, l.line_count, l.line_total, l.call_key,
    l.segment, l.start_byte, l.end_byte
FROM link AS l
LEFT JOIN agent AS a USING (session_key)
LEFT JOIN begun AS b USING (session_key)
ORDER BY l.confidence DESC, l.session_key
