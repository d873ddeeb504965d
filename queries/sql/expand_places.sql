-- Purpose: where the segments of some sessions stand first among their records.
-- Parameters: sessions (texts)
-- Columns: segment, position
SELECT segment, min(position) AS position
FROM record_place
WHERE session_key IN (SELECT unnest($sessions))
GROUP BY segment
