-- Question: which tools do agents use most, and how often do they fail?
-- Parameters: limit = 20
-- Columns: tool, calls, sessions, failed, nested (made by subagents)
SELECT
    name AS tool,
    count(*) AS calls,
    count(DISTINCT session_key) AS sessions,
    count(*) FILTER (is_error) AS failed,
    count(*) FILTER (is_nested) AS nested
FROM session_tool_call
WHERE is_present
GROUP BY name
ORDER BY calls DESC, tool
LIMIT $limit
