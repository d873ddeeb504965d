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
    [f.fact_id, f.told_by] AS names,
    make_timestamp(f.recorded_at) AS occurred_at,
    w.event_id IS NULL AND g.fact_id IS NULL AND l.fact_id IS NULL AS is_present,
    f.segment,
    f.start_byte,
    f.end_byte,
    'json' AS form,
    f.content AS text,
    false AS is_spoken,
    0 AS position,
    make_timestamp(least(g.recorded_at, l.effective_at, f.expires_at, f.valid_until)) AS ended_at,
    false AS is_failed,
    false AS is_callable
FROM fact AS f
LEFT JOIN withdrawn AS w ON w.event_id = f.event_id
LEFT JOIN (SELECT fact_id, min(recorded_at) AS recorded_at FROM fact_forgetting GROUP BY fact_id) AS g
    ON g.fact_id = f.fact_id
LEFT JOIN (
    SELECT target_fact_id AS fact_id, min(coalesce(effective_at, recorded_at)) AS effective_at
    FROM fact_link WHERE relation = 'supersedes' GROUP BY target_fact_id
) AS l ON l.fact_id = f.fact_id
