-- Purpose: the telling lines of the indexed snapshots that a call is known to have written.
-- Columns: path, line, commit (the snapshot's), origin_path, until (time of the commit that has the call's text),
--   session_key, call_key
SELECT o.path, o.first_line + i AS line, o.commit_oid AS "commit", o.origin_path, c.committed_at AS until, w.session_key,
    w.call_key
FROM line_origin AS o, LATERAL (SELECT unnest(range(o.line_count)) AS i)
JOIN line_writer AS w ON w.repository_id = o.repository_id AND w.commit_oid = o.origin_oid AND w.path = o.origin_path
    AND w.line = o.origin_line + i AND w.origin = 'written_text' AND w.confidence >= 500
JOIN present_commit AS c ON c.repository_id = o.repository_id AND c.oid = o.origin_oid
ORDER BY o.path, line
