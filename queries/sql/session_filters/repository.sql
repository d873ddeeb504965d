-- Purpose: sessions of a repository, by its identity.
-- Parameters: repository
-- Columns: session_key
SELECT session_key FROM session_repository WHERE repository_id = $repository
