-- Purpose: one node a commit.
-- Columns: id, repository, oid, title, author_name, author_email, authored_at, committed_at, parent_count, withdrawn
SELECT
    commit_id(c.repository_id, c.oid) AS id,
    c.repository_id AS repository,
    c.oid,
    c.title,
    c.author_name,
    c.author_email,
    c.authored_at,
    c.committed_at,
    c.parent_count,
    w.event_id IS NOT NULL AS withdrawn
FROM "commit" AS c
LEFT JOIN withdrawn AS w USING (event_id)
