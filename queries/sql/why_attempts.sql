-- Purpose: what had failed in the turn of a tool call before it, and what checked the work after it.
-- Parameters: session, begun (when its turn began, or null), at (time of the call), most (of either)
-- Columns: step (tried or verified), subject (the call), text (outcome, tool, and what it was about), occurred_at,
--   segment, start_byte, end_byte
WITH called AS (
    SELECT c.call_key, c.name, coalesce(c.command, c.path, c.description, '') AS about, c.command, c.writes,
        c.occurred_at, c.segment, c.start_byte, c.end_byte,
        coalesce(r.is_error, false) OR coalesce(r.exit_code, 0) <> 0 AS has_failed, r.call_key IS NOT NULL AS is_answered
    FROM tool_call AS c
    LEFT JOIN (
        SELECT call_key, bool_or(is_error) AS is_error, max(exit_code) AS exit_code
        FROM tool_result WHERE session_key = $session GROUP BY call_key
    ) AS r USING (call_key)
    WHERE c.session_key = $session AND NOT coalesce(c.is_nested, false)
    QUALIFY row_number() OVER (PARTITION BY c.call_key ORDER BY c.seq) = 1
),
tried AS (
    SELECT 'tried' AS step, *
    FROM called
    WHERE has_failed AND occurred_at < $at AND occurred_at >= coalesce($begun::TIMESTAMP, occurred_at)
    ORDER BY occurred_at DESC LIMIT $most
),
verified AS (
    SELECT 'verified' AS step, *
    FROM called
    WHERE is_answered AND occurred_at > $at AND occurred_at <= $at + INTERVAL 1 HOUR
        AND regexp_matches(command, '\b(test|tests|check|lint|build|vet|pytest|tox|mypy|ruff|tsc|cargo|make|verify)\b')
    ORDER BY occurred_at LIMIT $most
)
SELECT step, call_key AS subject, CASE WHEN has_failed THEN 'failed: ' ELSE 'passed: ' END || name || ' ' || about AS text,
    occurred_at, segment, start_byte, end_byte
FROM (SELECT * FROM tried UNION ALL SELECT * FROM verified)
ORDER BY occurred_at, step
