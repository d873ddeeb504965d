-- Purpose: the segments that each batch brought.
-- Columns: receipt, segment
SELECT p.receipt, s.segment
FROM segment AS s
JOIN pack AS p USING (pack)
