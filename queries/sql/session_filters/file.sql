-- Purpose: sessions that touched a file, by the end of its path.
-- Parameters: file
-- Columns: session_key
SELECT session_key FROM file_touch
WHERE session_key IS NOT NULL AND (path = $file OR ends_with(replace(path, chr(92), '/'), '/' || $file))
