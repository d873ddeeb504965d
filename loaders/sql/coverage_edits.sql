-- Purpose: what became of tracing the edits of tool calls to symbols.
-- Columns: status (as in edit_trace; untraced: not looked at), edits; of calls that failed none
SELECT coalesce(t.status, 'untraced') AS status, count(*) AS edits
FROM (
    SELECT DISTINCT session_key, call_key FROM file_touch
    WHERE access = 'write' AND origin IN ('tool_input', 'patch') AND call_key IS NOT NULL
        AND (session_key, call_key) NOT IN (SELECT (session_key, call_key) FROM tool_result WHERE is_error AND call_key IS NOT NULL)
) AS w
LEFT JOIN (SELECT DISTINCT session_key, call_key, status FROM edit_trace) AS t USING (session_key, call_key)
GROUP BY ALL
ORDER BY edits DESC, status
