-- Purpose: sessions that called a tool, whatever the case of its name.
-- Parameters: tool
-- Columns: session_key
SELECT session_key FROM tool_call WHERE lower(name) = lower($tool)
