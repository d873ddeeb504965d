-- Purpose: repositories that a session's working directory lay in.
-- Columns: source, target, origin (work_tree: git found it there; source_folder: a registered repository lies there),
--   confidence
SELECT session_id(session_key) AS source, repository_id AS target, max(origin) AS origin,
    max(confidence) AS confidence
FROM session_workplace
GROUP BY session_key, repository_id
