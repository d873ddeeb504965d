-- Question: which symbols change together?
-- Parameters: path = null (pairs with a symbol of this file only), limit = 20
-- Columns: path, descriptor, other_path, other_descriptor, commits (that changed both), confidence (of those that changed
--   the rarer one)
-- Notes: run `graphsvc track` first. Commits that changed more than 60 symbols are left out; a pair needs 3 commits.
WITH change AS (
    SELECT DISTINCT repository_id, commit_oid, path, descriptor FROM present_symbol_change
    WHERE change <> 'removed' AND symbol_kind <> 'section'
),
small AS (
    SELECT repository_id, commit_oid FROM change GROUP BY repository_id, commit_oid HAVING count(*) BETWEEN 2 AND 60
),
total AS (
    SELECT repository_id, path, descriptor, count(*) AS commits FROM change GROUP BY repository_id, path, descriptor
),
counted AS (
    SELECT c.* FROM change AS c SEMI JOIN small USING (repository_id, commit_oid)
),
pair AS (
    SELECT a.repository_id, a.path, a.descriptor, b.path AS other_path, b.descriptor AS other_descriptor,
        count(*) AS commits
    FROM counted AS a
    JOIN counted AS b USING (repository_id, commit_oid)
    WHERE CASE WHEN $path IS NULL THEN (a.path, a.descriptor) < (b.path, b.descriptor)
        ELSE a.path = $path AND (a.path, a.descriptor) <> (b.path, b.descriptor) END
    GROUP BY ALL
    HAVING count(*) >= 3
)
SELECT p.path, p.descriptor, p.other_path, p.other_descriptor, p.commits,
    round(p.commits / least(a.commits, b.commits), 4)::DOUBLE AS confidence
FROM pair AS p
JOIN total AS a USING (repository_id, path, descriptor)
JOIN total AS b ON b.repository_id = p.repository_id AND b.path = p.other_path AND b.descriptor = p.other_descriptor
ORDER BY p.commits DESC, confidence DESC, p.path, p.descriptor, p.other_path, p.other_descriptor
LIMIT $limit
