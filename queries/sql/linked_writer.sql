-- Purpose: the call that wrote a line as a commit added it.
-- Parameters: repository, oid, path, line
-- Columns: origin, confidence (thousandths), rivals, then as of why_calls.sql
WITH writer AS (
    SELECT session_key, call_key, origin, confidence, rivals
    FROM line_writer
    WHERE repository_id = $repository AND commit_oid = $oid AND path = $path AND line = $line
)
SELECT w.origin, w.confidence, w.rivals, c.session_key, c.call_key, c.name, c.occurred_at, coalesce(t.position, 0),
    t.turn_id, c.is_nested, c.command, c.writes,
    (SELECT list(DISTINCT f.path) FROM file_touch AS f
        WHERE f.session_key = c.session_key AND f.call_key = c.call_key AND f.access = 'write') AS paths,
    c.segment, c.start_byte, c.end_byte
FROM writer AS w
JOIN tool_call AS c ON c.session_key = w.session_key AND c.call_key = w.call_key
LEFT JOIN call_turn AS t ON t.session_key = w.session_key AND t.call_key = w.call_key
ORDER BY c.is_nested, c.seq
LIMIT 1
