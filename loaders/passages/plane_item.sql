-- Purpose: what stands at the head of planes: intents, strategy, tactics, artifacts, lazy and the response.
-- Columns: see loaders/passages/__init__.py
SELECT
    'plane_item' AS kind,
    i.event_id AS key,
    plane_item_id(c.source_id, c.location, i.plane, i.name) AS subject,
    c.session_key AS session,
    NULL AS turn,
    NULL AS repository,
    c.cwd AS path,
    left(i.plane || coalesce(' ' || nullif(i.name, ''), ''), 160) AS title,
    NULL AS agent,
    NULL AS tool,
    [i.name, i.plane] AS names,
    i.occurred_at,
    w.event_id IS NULL AS is_present,
    i.segment,
    i.start_byte,
    i.end_byte,
    'json' AS form,
    NULL AS text,
    false AS is_spoken,
    0 AS position,
    NULL::TIMESTAMP AS ended_at,
    false AS is_failed,
    false AS is_callable
FROM plane_item AS i
JOIN plane_cohort AS c ON c.event_id = i.cohort_id
LEFT JOIN withdrawn AS w ON w.event_id = i.cohort_id
