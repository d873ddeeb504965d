-- Question: which tool calls took longest?
-- Parameters: tool = null (name of a tool), since = null (a day or time in UTC), limit = 20
-- Columns: session, tool, seconds (from the call's record to its answer's), target (command or path, its first 200
--   characters), occurred_at, is_error, segment, start_byte, end_byte (of the call)
-- Notes: the time until a person approved the call, or came back to the machine, counts in.
SELECT
    session_key AS session,
    name AS tool,
    date_diff('millisecond', occurred_at, answered_at) / 1000 AS seconds,
    left(coalesce(command, path), 200) AS target,
    occurred_at,
    is_error,
    segment,
    start_byte,
    end_byte
FROM session_tool_call
WHERE is_present AND answered_at >= occurred_at AND ($tool IS NULL OR name = $tool)
    AND ($since IS NULL OR occurred_at >= $since::TIMESTAMP)
ORDER BY seconds DESC, session, occurred_at, segment, start_byte
LIMIT $limit
