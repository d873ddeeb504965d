-- Purpose: checkpoints that a commit's message names, anywhere in it; an id that no checkpoint has is a gap.
-- Columns: source, target, origin, confidence, segment, start_byte, end_byte (the trailer's bytes)
SELECT
    commit_id(repository_id, commit_oid) AS source,
    checkpoint_id(repository_id, value) AS target,
    'trailer' AS origin,
    1.0::DOUBLE AS confidence,
    min(segment) AS segment,
    min(start_byte) AS start_byte,
    min(end_byte) AS end_byte
FROM checkpoint_trailer
GROUP BY repository_id, commit_oid, value
