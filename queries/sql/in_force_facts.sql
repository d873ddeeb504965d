-- Purpose: where the lines of facts lie.
-- Parameters: ids
-- Columns: fact_id, segment, start_byte, end_byte
SELECT fact_id, segment, start_byte, end_byte FROM fact WHERE fact_id IN (SELECT unnest($ids))
