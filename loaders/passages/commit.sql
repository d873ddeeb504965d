-- Purpose: messages of commits, and who wrote them.
-- Columns: see loaders/passages/__init__.py
SELECT
    'commit' AS kind,
    c.event_id AS key,
    c.oid AS subject,
    NULL AS session,
    NULL AS turn,
    c.repository_id AS repository,
    NULL AS path,
    left(c.title, 160) AS title,
    NULL AS agent,
    NULL AS tool,
    [c.oid, c.author_name] AS names,
    c.occurred_at,
    w.event_id IS NULL AS is_present,
    c.segment,
    c.start_byte,
    c.end_byte,
    'commit' AS form,
    NULL AS text,
    false AS is_spoken,
    0 AS position,
    NULL::TIMESTAMP AS ended_at,
    false AS is_failed,
    false AS is_callable
FROM "commit" AS c
LEFT JOIN withdrawn AS w USING (event_id)
