-- Purpose: commits once more for each session that produced them: as their message says, or as linking found out.
-- Reads the tables linked_commit (repository_id, commit_oid, session_key) and added_prose (repository_id, commit_oid,
--   text) besides; the text is what the commit added that people read.
-- A commit that changed everything is about nothing in particular: it is not known by its paths.
-- Columns: see loaders/passages/__init__.py
WITH changed AS (
    SELECT repository_id, commit_oid, list(DISTINCT path ORDER BY path) AS paths
    FROM present_file_change
    WHERE NOT is_merge
    GROUP BY repository_id, commit_oid
    HAVING count(DISTINCT path) <= 40
)
SELECT
    'produced' AS kind,
    c.event_id AS key,
    c.oid AS subject,
    l.session_key AS session,
    NULL AS turn,
    c.repository_id AS repository,
    NULL AS path,
    left(c.title, 160) AS title,
    a.agent,
    NULL AS tool,
    list_transform(coalesce(f.paths, []), lambda path: regexp_extract(path, '([^/]*/)?[^/]*$')) AS names,
    c.occurred_at,
    w.event_id IS NULL AS is_present,
    c.segment,
    c.start_byte,
    c.end_byte,
    'commit' AS form,
    p.text,
    false AS is_spoken,
    0 AS position,
    NULL::TIMESTAMP AS ended_at,
    false AS is_failed,
    false AS is_callable
FROM linked_commit AS l
JOIN "commit" AS c ON c.repository_id = l.repository_id AND c.oid = l.commit_oid
LEFT JOIN withdrawn AS w USING (event_id)
LEFT JOIN changed AS f ON f.repository_id = c.repository_id AND f.commit_oid = c.oid
LEFT JOIN added_prose AS p ON p.repository_id = c.repository_id AND p.commit_oid = c.oid
LEFT JOIN session_agent AS a ON a.session_key = l.session_key
