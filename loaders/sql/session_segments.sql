-- Purpose: how often documents hold each segment.
-- Parameters: table wanted (document_id)
-- Columns: segment, occurrences
SELECT segment, count(*) AS occurrences
FROM part SEMI JOIN wanted USING (document_id)
GROUP BY segment
