-- Purpose: the passages that the files of loaders/passages state, with the repositories that each belongs to and the
--   unit that it is indexed with: its session, its file, or itself.
-- Columns: those of the files, then repositories, unit
SELECT
    s.*,
    coalesce(r.repositories, CASE WHEN s.repository IS NULL THEN [] ELSE [s.repository] END) AS repositories,
    coalesce(s.session, s.repository || ':' || s.path, s.key) AS unit
FROM stated AS s
LEFT JOIN (
    SELECT session_key, list(repository_id ORDER BY repository_id) AS repositories
    FROM session_repository
    GROUP BY session_key
) AS r ON r.session_key = s.session
