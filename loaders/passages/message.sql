-- Purpose: what people and models wrote, and what hosts put in their mouth.
-- Columns: see loaders/passages/__init__.py
SELECT
    CASE
        WHEN m.channel IN ('thinking', 'summary', 'recorded') THEN m.channel
        WHEN m.origin = 'injected' THEN 'note'
        WHEN m.role = 'user' THEN 'prompt'
        ELSE 'answer'
    END AS kind,
    m.event_id AS key,
    m.event_id AS subject,
    m.session_key AS session,
    t.turn_id AS turn,
    NULL AS repository,
    NULL AS path,
    left(m.text, 160) AS title,
    a.agent,
    NULL AS tool,
    []::VARCHAR[] AS names,
    m.occurred_at,
    coalesce(t.is_present, w.event_id IS NULL) AS is_present,
    m.segment,
    m.start_byte,
    m.end_byte,
    'json' AS form,
    m.text,
    m.channel IN ('prompt', 'text', 'thinking') AND m.origin <> 'injected' AS is_spoken,
    coalesce(t.position, 0) AS position,
    NULL::TIMESTAMP AS ended_at,
    false AS is_failed,
    false AS is_callable
FROM message AS m
LEFT JOIN (
    SELECT DISTINCT ON (session_key, entry_key, occurrence) *
    FROM timeline
    ORDER BY NOT is_present, position, start_byte
) AS t
    USING (session_key, entry_key, occurrence)
LEFT JOIN session_agent AS a USING (session_key)
LEFT JOIN withdrawn AS w ON w.event_id = m.event_id
