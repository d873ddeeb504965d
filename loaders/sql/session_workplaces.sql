-- Purpose: working directories of a source's sessions that are not known to lie in a repository.
-- Parameters: source (source id)
-- Columns: session_key, cwd, segment, start_byte, end_byte (of the first record that states it)
WITH own AS (
    SELECT DISTINCT session_key FROM document WHERE source_id = $source AND session_key IS NOT NULL
),
stated AS (
    SELECT session_key, cwd, segment, start_byte, end_byte FROM entry SEMI JOIN own USING (session_key)
    WHERE cwd IS NOT NULL
    UNION ALL
    SELECT session_key, cwd, segment, start_byte, end_byte FROM host_session SEMI JOIN own USING (session_key)
    WHERE cwd IS NOT NULL
)
SELECT session_key, cwd, unnest(min((segment, start_byte, end_byte)))
FROM stated ANTI JOIN session_workplace USING (session_key, cwd)
GROUP BY session_key, cwd
ORDER BY session_key, cwd
