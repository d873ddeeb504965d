-- Purpose: requests to run tools, with their whole input.
-- Columns: see loaders/passages/__init__.py
SELECT
    'tool_call' AS kind,
    c.event_id AS key,
    tool_call_id(c.session_key, c.call_key) AS subject,
    c.session_key AS session,
    c.turn_id AS turn,
    NULL AS repository,
    replace(c.path, chr(92), '/') AS path,
    left(c.name || ' ' || coalesce(c.description, c.command, c.path, ''), 160) AS title,
    a.agent,
    c.name AS tool,
    []::VARCHAR[] AS names,
    c.occurred_at,
    c.is_present,
    c.segment,
    c.start_byte,
    c.end_byte,
    'json' AS form,
    NULL AS text,
    false AS is_spoken,
    c.position,
    NULL::TIMESTAMP AS ended_at,
    coalesce(c.is_error, c.exit_code <> 0, false) AS is_failed,
    false AS is_callable
FROM session_tool_call AS c
LEFT JOIN session_agent AS a USING (session_key)
