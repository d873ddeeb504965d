-- Purpose: checkpoints that a commit's message names, anywhere in it; an id that no checkpoint has is a gap.
-- Columns: source, target, origin, confidence, withdrawn (the commit left the repository), segment, start_byte,
--   end_byte (the trailer's bytes)
SELECT
    commit_id(t.repository_id, t.commit_oid) AS source,
    checkpoint_id(t.repository_id, t.value) AS target,
    'trailer' AS origin,
    1.0::DOUBLE AS confidence,
    bool_and(c.oid IS NULL) AS withdrawn,
    min(t.segment) AS segment,
    min(t.start_byte) AS start_byte,
    min(t.end_byte) AS end_byte
FROM checkpoint_trailer AS t
LEFT JOIN present_commit AS c ON c.repository_id = t.repository_id AND c.oid = t.commit_oid
GROUP BY t.repository_id, t.commit_oid, t.value
