-- Purpose: files that a tool call wrote.
-- Columns: source, target, origin (cwd: below the working directory; path_suffix: the longest known path that the
--   recorded one ends with), confidence, withdrawn (the call or its session's recording left the source), segment,
--   start_byte, end_byte (where the path is named)
SELECT
    tool_call_id(f.session_key, f.call_key) AS source,
    file_id(f.repository_id, f.path) AS target,
    min(f.origin) AS origin,
    max(f.confidence) AS confidence,
    NOT bool_or(f.is_captured AND c.is_present) AS withdrawn,
    min(f.segment) AS segment,
    arg_min(f.start_byte, f.segment) AS start_byte,
    arg_min(f.end_byte, f.segment) AS end_byte
FROM touched_file AS f
JOIN session_tool_call AS c USING (session_key, call_key)
WHERE f.access = 'write'
GROUP BY f.session_key, f.call_key, f.repository_id, f.path
