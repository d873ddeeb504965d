-- Purpose: files that a tool call read.
-- Columns: source, target, origin (cwd: below the working directory; path_suffix: the longest known path that the
--   recorded one ends with), confidence, segment, start_byte, end_byte (where the path is named)
SELECT
    tool_call_id(session_key, call_key) AS source,
    file_id(repository_id, path) AS target,
    min(origin) AS origin,
    max(confidence) AS confidence,
    min(segment) AS segment,
    arg_min(start_byte, segment) AS start_byte,
    arg_min(end_byte, segment) AS end_byte
FROM touched_file
WHERE access = 'read'
GROUP BY session_key, call_key, repository_id, path
