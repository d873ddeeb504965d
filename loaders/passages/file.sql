-- Purpose: files of indexed snapshots.
-- Columns: see loaders/passages/__init__.py
-- A file that was not read, because it is no code, is found by its path alone.
SELECT
    'file' AS kind,
    f.event_id AS key,
    file_id(f.repository_id, f.path) AS subject,
    NULL AS session,
    NULL AS turn,
    f.repository_id AS repository,
    f.path,
    left(f.path, 160) AS title,
    NULL AS agent,
    NULL AS tool,
    [f.path, regexp_extract(f.path, '[^/]*$')] AS names,
    NULL::TIMESTAMP AS occurred_at,
    true AS is_present,
    f.segment,
    f.start_byte,
    f.end_byte,
    CASE WHEN f.status IN ('parsed', 'partial', 'manifest') THEN 'plain' ELSE 'none' END AS form,
    NULL AS text,
    false AS is_spoken,
    0 AS position,
    NULL::TIMESTAMP AS ended_at,
    false AS is_failed,
    false AS is_callable
FROM source_file AS f
JOIN (
    SELECT DISTINCT e.repository_id, e.path, e.oid
    FROM present_snapshot AS s
    JOIN tree_entry AS e USING (repository_id, tree_oid)
) AS e ON e.repository_id = f.repository_id AND e.path = f.path AND e.oid = f.blob_oid
QUALIFY row_number() OVER (PARTITION BY f.repository_id, f.path, f.blob_oid ORDER BY f.extractor DESC, f.event_id) = 1
