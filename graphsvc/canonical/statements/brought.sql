-- Purpose: how many bytes of segments the newest batches brought.
-- Parameters: after (number of the last receipt before them)
-- Columns: bytes
SELECT coalesce(sum(byte_count), 0)::BIGINT AS bytes FROM pack WHERE receipt > $after
