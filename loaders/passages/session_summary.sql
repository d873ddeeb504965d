-- Purpose: summaries of sessions that their source recorded.
-- Columns: see loaders/passages/__init__.py
SELECT
    'session_summary' AS kind,
    s.event_id AS key,
    s.event_id AS subject,
    s.session_key AS session,
    NULL AS turn,
    NULL AS repository,
    NULL AS path,
    left(coalesce(s.intent, s.outcome, ''), 160) AS title,
    a.agent,
    NULL AS tool,
    []::VARCHAR[] AS names,
    s.occurred_at,
    w.event_id IS NULL AS is_present,
    s.segment,
    s.start_byte,
    s.end_byte,
    'json' AS form,
    NULL AS text,
    true AS is_spoken,
    0 AS position,
    NULL::TIMESTAMP AS ended_at,
    false AS is_failed,
    false AS is_callable
FROM session_summary AS s
LEFT JOIN session_agent AS a USING (session_key)
LEFT JOIN withdrawn AS w USING (event_id)
