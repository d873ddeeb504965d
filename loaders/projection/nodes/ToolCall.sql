-- Purpose: one node a tool call, by session and the host's id of the call.
-- Columns: id, session, call_key, name, path, command (its first 400 characters), occurred_at, seconds (until its answer,
--   null where a time is not known), is_error (null without a result that says so), is_nested, withdrawn, segment,
--   start_byte, end_byte (the call's own block)
SELECT
    tool_call_id(session_key, call_key) AS id,
    session_id(session_key) AS session,
    call_key,
    name,
    path,
    left(command, 400) AS command,
    occurred_at,
    date_diff('millisecond', occurred_at, answered_at) / 1000.0::DOUBLE AS seconds,
    is_error,
    is_nested,
    NOT is_present AS withdrawn,
    segment,
    start_byte,
    end_byte
FROM session_tool_call
