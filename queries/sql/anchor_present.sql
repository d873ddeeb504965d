-- Purpose: which of some commits are still in their repository, and which of some segments the store has.
-- Parameters: the table wanted (id)
-- Columns: id
SELECT w.id FROM wanted AS w
SEMI JOIN (SELECT commit_id(repository_id, oid) AS id FROM present_commit) USING (id)
UNION ALL
SELECT w.id FROM wanted AS w SEMI JOIN (SELECT segment AS id FROM segment) USING (id)
