-- Purpose: views that answer what is true now, over events that only grow.
-- cursor: how far each source has been read (source_id, generation, position, content_digest, seq_hi).
CREATE OR REPLACE TEMP VIEW cursor AS
SELECT
    source_id,
    arg_max(generation, number) AS generation,
    arg_max(position, number) AS position,
    arg_max(content_digest, number) AS content_digest,
    max(seq_hi) AS seq_hi
FROM receipt
GROUP BY source_id;

-- withdrawn: events that their source no longer states (event_id, kind, reason).
CREATE OR REPLACE TEMP VIEW withdrawn AS
SELECT
    target_event_id AS event_id,
    arg_max(target_kind, seq) AS kind,
    arg_max(reason, seq) AS reason
FROM tombstone
GROUP BY target_event_id
HAVING arg_max(state, seq) = 'withdrawn';
