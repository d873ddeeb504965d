-- Purpose: facts to remember; one that was forgotten or superseded is found by forensic searches alone.
-- Columns: see loaders/passages/__init__.py
SELECT
    'fact' AS kind,
    f.event_id AS key,
    f.fact_id AS subject,
    NULL AS session,
    NULL AS turn,
    NULL AS repository,
    NULL AS path,
    left(f.content, 160) AS title,
    NULL AS agent,
    NULL AS tool,
    [f.fact_id] AS names,
    make_timestamp(f.recorded_at) AS occurred_at,
    w.event_id IS NULL AND g.fact_id IS NULL AND l.fact_id IS NULL AS is_present,
    f.segment,
    f.start_byte,
    f.end_byte,
    'json' AS form,
    f.content AS text,
    false AS is_spoken,
    0 AS position
FROM fact AS f
LEFT JOIN withdrawn AS w ON w.event_id = f.event_id
LEFT JOIN (SELECT DISTINCT fact_id FROM fact_forgetting) AS g ON g.fact_id = f.fact_id
LEFT JOIN (
    SELECT DISTINCT target_fact_id AS fact_id FROM fact_link WHERE relation = 'supersedes'
) AS l ON l.fact_id = f.fact_id
