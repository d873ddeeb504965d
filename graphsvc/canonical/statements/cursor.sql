-- Purpose: how far a source has been read.
-- Parameters: source
-- Columns: source_id, generation, position, content_digest, seq_hi
SELECT source_id, generation, position, content_digest,
    (SELECT max(seq_hi) FROM receipt WHERE source_id = $source) AS seq_hi
FROM receipt
WHERE source_id = $source
ORDER BY number DESC
LIMIT 1
