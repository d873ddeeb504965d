-- Purpose: the references of a repository.
-- Columns: source, target
SELECT DISTINCT repository_id AS source, reference_id(repository_id, name) AS target
FROM reference
