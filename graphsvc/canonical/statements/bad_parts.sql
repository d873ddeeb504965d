-- Purpose: an incoming part that does not lie inside a segment.
-- Parameters: table new_part (the columns of part)
-- Columns: document_id
SELECT new_part.document_id
FROM new_part
LEFT JOIN segment USING (segment)
WHERE segment.byte_count IS NULL OR start_byte < 0 OR end_byte < start_byte OR end_byte > segment.byte_count
LIMIT 1
