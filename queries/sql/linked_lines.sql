-- Purpose: the commits and calls that lines of an indexed snapshot come from.
-- Parameters: repository, commit (the snapshot's), path, first, last
-- Columns: line, commit (that changed it last), call_key (that wrote it, null where none is known), authored_at
WITH wanted AS (
    SELECT o.first_line + i AS line, o.last_oid, o.last_path, o.last_line + i AS last_line, o.origin_oid, o.origin_path,
        o.origin_line + i AS origin_line
    FROM line_origin AS o, LATERAL (SELECT unnest(range(o.line_count)) AS i)
    WHERE o.repository_id = $repository AND o.commit_oid = $commit AND o.path = $path
        AND o.first_line <= $last AND o.first_line + o.line_count > $first
)
SELECT w.line, w.last_oid AS "commit", CASE WHEN coalesce(f.confidence, t.confidence) >= 500 THEN coalesce(f.call_key, t.call_key) END AS call_key, c.authored_at
FROM wanted AS w
LEFT JOIN line_writer AS f ON f.repository_id = $repository AND f.commit_oid = w.origin_oid AND f.path = w.origin_path
    AND f.line = w.origin_line
LEFT JOIN line_writer AS t ON t.repository_id = $repository AND t.commit_oid = w.last_oid AND t.path = w.last_path
    AND t.line = w.last_line
LEFT JOIN (
    SELECT oid, min(authored_at) AS authored_at FROM "commit" WHERE repository_id = $repository GROUP BY oid
) AS c ON c.oid = w.last_oid
WHERE w.line BETWEEN $first AND $last
ORDER BY w.line
