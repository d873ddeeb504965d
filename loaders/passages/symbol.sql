-- Purpose: definitions in indexed snapshots, with the documentation before them.
-- Columns: see loaders/passages/__init__.py
-- Anonymous functions, fields and variables are found as part of what encloses them.
SELECT
    'symbol' AS kind,
    s.event_id AS key,
    c.symbol_id AS subject,
    NULL AS session,
    NULL AS turn,
    c.repository_id AS repository,
    c.path,
    left(coalesce(nullif(c.signature, ''), c.name), 160) AS title,
    NULL AS agent,
    NULL AS tool,
    [
        c.name,
        trim(regexp_replace(c.descriptor, '[/#.():\[\]`<>]+', '.', 'g'), '.'),
        c.path
    ] AS names,
    NULL::TIMESTAMP AS occurred_at,
    true AS is_present,
    c.segment,
    least(s.doc_start, c.start_byte) AS start_byte,
    c.end_byte,
    'plain' AS form,
    NULL AS text,
    false AS is_spoken,
    0 AS position,
    NULL::TIMESTAMP AS ended_at,
    false AS is_failed,
    c.kind IN ('function', 'method', 'constructor') AS is_callable
FROM code_symbol AS c
JOIN symbol AS s
    ON s.segment = c.segment AND s.start_byte = c.start_byte AND s.end_byte = c.end_byte
    AND s.name = c.name AND s.descriptor = c.descriptor AND s.repository_id = c.repository_id
WHERE c.name <> '' AND c.kind NOT IN ('lambda', 'field', 'variable', 'parameter')
QUALIFY row_number() OVER (PARTITION BY c.symbol_id ORDER BY c.path, c.start_byte, s.event_id) = 1
