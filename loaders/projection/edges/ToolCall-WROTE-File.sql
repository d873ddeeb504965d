-- Purpose: files that a tool call wrote.
-- Columns: source, target, origin (cwd: below the working directory; path_suffix: the longest known path that the
--   recorded one ends with; command: the words of a shell command say so), confidence, withdrawn (the call or its session's recording left the source), segment,
--   start_byte, end_byte (where the path is named)
SELECT
    tool_call_id(f.session_key, f.call_key) AS source,
    file_id(f.repository_id, f.path) AS target,
    arg_max(f.origin, (f.confidence, f.origin)) AS origin,
    max(f.confidence) AS confidence,
    NOT bool_or(f.is_captured AND c.is_present) AS withdrawn,
    arg_min(f.segment, (NOT f.is_present, f.segment, f.start_byte)) AS segment,
    arg_min(f.start_byte, (NOT f.is_present, f.segment, f.start_byte)) AS start_byte,
    arg_min(f.end_byte, (NOT f.is_present, f.segment, f.start_byte)) AS end_byte
FROM touched_file AS f
JOIN session_tool_call AS c USING (session_key, call_key)
WHERE f.access = 'write'
GROUP BY f.session_key, f.call_key, f.repository_id, f.path
