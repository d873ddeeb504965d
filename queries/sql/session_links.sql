-- Purpose: the sessions that a commit may come from by evidence other than its message, the surest first.
-- Parameters: repository, commit
-- Columns: session_key, agent, started_at, origin, confidence (thousandths), evidence, line_count, line_total, call_key,
--   segment, start_byte, end_byte
SELECT s.session_key,
    coalesce(
        (SELECT min(c.agent) FROM checkpoint_session AS c WHERE c.session_key = s.session_key),
        (SELECT min(h.agent) FROM host_session AS h WHERE h.session_key = s.session_key)
    ) AS agent,
    (SELECT min(e.occurred_at) FROM entry AS e WHERE e.session_key = s.session_key) AS started_at,
    s.origin, s.confidence, s.evidence, s.line_count, s.line_total, s.call_key, s.segment, s.start_byte, s.end_byte
FROM commit_session AS s
WHERE s.repository_id = $repository AND s.commit_oid = $commit
ORDER BY s.confidence DESC, s.session_key
