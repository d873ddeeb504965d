-- Purpose: the checkpoints that a commit's message names, whether the store has them or not.
-- Parameters: repository, oid
-- Columns: checkpoint_key, segment, start_byte, end_byte (of the trailer), is_known, is_withdrawn
SELECT t.value AS checkpoint_key, min(t.segment), min(t.start_byte), min(t.end_byte),
    count(c.event_id) > 0 AS is_known,
    count(c.event_id) > 0 AND count(c.event_id) = count(w.event_id) AS is_withdrawn
FROM checkpoint_trailer AS t
LEFT JOIN checkpoint AS c ON c.repository_id = t.repository_id AND c.checkpoint_key = t.value
LEFT JOIN withdrawn AS w ON w.event_id = c.event_id
WHERE t.repository_id = $repository AND t.commit_oid = $oid
GROUP BY t.value
ORDER BY min(t.start_byte)
