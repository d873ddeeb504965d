-- Purpose: an incoming event whose evidence does not lie inside a segment; only a fault may have none.
-- Parameters: table span (kind, event_id, segment, start_byte, end_byte)
-- Columns: event
SELECT kind || ' ' || event_id AS event
FROM span
LEFT JOIN segment USING (segment)
WHERE NOT (kind = 'fault' AND span.segment IS NULL)
    AND (segment.byte_count IS NULL OR start_byte < 0 OR end_byte < start_byte OR end_byte > segment.byte_count)
LIMIT 1
