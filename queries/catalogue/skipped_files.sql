-- Question: which files of the indexed snapshots are not read as code, and why?
-- Parameters: none
-- Columns: status, reason, ending (after the last dot of the name), files, bytes (null where they were not read),
--   example (a path)
SELECT
    status,
    reason,
    regexp_extract(f.path, '[^/.]\.([^./]+)$', 1) AS ending,
    count(*) AS files,
    sum(byte_count)::BIGINT AS bytes,
    min(f.path) AS example
FROM source_file AS f
SEMI JOIN snapshot_file AS s ON s.repository_id = f.repository_id AND s.path = f.path AND s.oid = f.blob_oid
WHERE status NOT IN ('parsed', 'manifest')
GROUP BY status, reason, ending
ORDER BY files DESC, status, reason, ending
