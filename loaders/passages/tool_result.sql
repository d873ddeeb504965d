-- Purpose: what tools answered, whole.
-- Columns: see loaders/passages/__init__.py
SELECT
    'tool_result' AS kind,
    r.event_id AS key,
    tool_call_id(r.session_key, r.call_key) AS subject,
    r.session_key AS session,
    c.turn_id AS turn,
    NULL AS repository,
    replace(c.path, chr(92), '/') AS path,
    left(coalesce(c.name || ': ', '') || r.excerpt, 160) AS title,
    a.agent,
    c.name AS tool,
    []::VARCHAR[] AS names,
    r.occurred_at,
    coalesce(c.is_present, true) AS is_present,
    r.segment,
    r.start_byte,
    r.end_byte,
    'json' AS form,
    NULL AS text,
    false AS is_spoken,
    coalesce(c.position, 0) AS position,
    NULL::TIMESTAMP AS ended_at,
    coalesce(r.is_error, r.exit_code <> 0, false) AS is_failed,
    false AS is_callable
FROM tool_result AS r
LEFT JOIN session_tool_call AS c USING (session_key, call_key)
LEFT JOIN session_agent AS a ON a.session_key = r.session_key
