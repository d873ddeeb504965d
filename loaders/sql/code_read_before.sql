-- Purpose: whether another version of the extractor has read files of a repository.
-- Parameters: repository, extractor
-- Columns: found (1), at most one row
SELECT 1 AS found FROM source_file WHERE repository_id = $repository AND extractor <> $extractor LIMIT 1
