-- Purpose: whether a commit is by a program.
-- Parameters: repository, commit
-- Columns: is_bot
SELECT by_bot(author_name, author_email) AS is_bot FROM "commit" WHERE repository_id = $repository AND oid = $commit
