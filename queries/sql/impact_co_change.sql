-- Purpose: files that changed in the same commits as some files; commits of more than 30 files and merges are left out.
-- Parameters: repositories, paths (of the files)
-- Columns: depth, id, name, kind, path, start_line, is_test, origin, confidence (support over the commits of the file
--   asked about), detail, segment, start_byte, end_byte
WITH change AS (
    SELECT DISTINCT repository_id, commit_oid, path FROM present_file_change WHERE NOT is_merge AND status <> 'D'
),
small AS (
    SELECT repository_id, commit_oid FROM change GROUP BY repository_id, commit_oid HAVING count(*) <= 30
),
own AS (
    SELECT c.repository_id, c.commit_oid, c.path
    FROM change AS c
    SEMI JOIN small USING (repository_id, commit_oid)
    JOIN (SELECT DISTINCT unnest($repositories) AS repository_id, unnest($paths) AS path) USING (repository_id, path)
),
total AS (
    SELECT repository_id, path, count(*) AS commits FROM own GROUP BY repository_id, path
)
SELECT 1 AS depth, file_id(c.repository_id, c.path) AS id, regexp_extract(c.path, '[^/]*$') AS name, 'file' AS kind,
    c.path, NULL::BIGINT AS start_line, is_test_path(c.path) AS is_test, 'co_change' AS origin,
    round(max(s.support / t.commits), 4)::DOUBLE AS confidence,
    arg_max(s.support || ' of ' || t.commits || ' commits', s.support / t.commits) AS detail,
    NULL::VARCHAR AS segment, NULL::BIGINT AS start_byte, NULL::BIGINT AS end_byte
FROM (
    SELECT o.repository_id, o.path AS own_path, c.path, count(*) AS support
    FROM own AS o
    JOIN change AS c USING (repository_id, commit_oid)
    WHERE c.path <> o.path AND NOT list_contains($paths, c.path)
    GROUP BY o.repository_id, o.path, c.path
    HAVING count(*) >= 3
) AS s
JOIN total AS t ON t.repository_id = s.repository_id AND t.path = s.own_path
JOIN (SELECT DISTINCT repository_id, path FROM change) AS c ON c.repository_id = s.repository_id AND c.path = s.path
GROUP BY c.repository_id, c.path
ORDER BY confidence DESC, max(s.support) DESC, c.path
