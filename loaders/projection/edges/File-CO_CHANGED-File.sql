-- Purpose: files that change together, each pair once in path order of their ids.
-- Columns: source, target, support (commits that changed both), confidence (support over the commits of the file
--   that changed less often), origin
-- Commits of more than 30 files say little about pairs and are left out, merges too; pairs need 3 commits.
WITH change AS (
    SELECT DISTINCT repository_id, commit_oid, path FROM present_file_change WHERE NOT is_merge AND status <> 'D'
),
small AS (
    SELECT repository_id, commit_oid FROM change
    GROUP BY repository_id, commit_oid HAVING count(*) BETWEEN 2 AND 30
),
change_id AS (
    SELECT c.repository_id, c.commit_oid, file_id(c.repository_id, c.path) AS file
    FROM change AS c
    JOIN small USING (repository_id, commit_oid)
),
total AS (
    SELECT file_id(repository_id, path) AS file, count(*) AS commits FROM change GROUP BY repository_id, path
),
pair AS (
    SELECT a.file AS source, b.file AS target, count(*) AS support
    FROM change_id AS a
    JOIN change_id AS b USING (repository_id, commit_oid)
    WHERE a.file < b.file
    GROUP BY a.file, b.file
    HAVING count(*) >= 3
)
SELECT
    p.source,
    p.target,
    p.support,
    round(p.support::DOUBLE / least(a.commits, b.commits), 4) AS confidence,
    'co_change' AS origin
FROM pair AS p
JOIN total AS a ON a.file = p.source
JOIN total AS b ON b.file = p.target
