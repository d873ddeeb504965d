-- Purpose: the call that wrote a line as a commit added it.
-- Parameters: repository, oid, path, line
-- Columns: origin, confidence (thousandths), rivals, then as of why_calls.sql
WITH writer AS (
    SELECT session_key, call_key, origin, confidence, rivals
    FROM line_writer
    WHERE repository_id = $repository AND commit_oid = $oid AND path = $path AND line = $line
)
SELECT w.origin, w.confidence, w.rivals, c.session_key, c.call_key, c.name, c.occurred_at, t.position,
    t.turn_id, c.is_nested, c.command, c.writes,
    CASE WHEN c.path IS NOT NULL THEN [c.path] END AS paths,
    c.segment, c.start_byte, c.end_byte
FROM writer AS w
JOIN call_turn AS t ON t.session_key = w.session_key AND t.call_key = w.call_key
JOIN tool_call AS c ON c.seq = t.call_seq
