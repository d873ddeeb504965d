-- Purpose: where segments lie.
-- Parameters: wanted (list of segment ids)
-- Columns: segment, pack, pack_start, byte_count
SELECT segment.segment, pack, pack_start, byte_count
FROM segment
WHERE segment.segment IN (SELECT unnest($wanted))
