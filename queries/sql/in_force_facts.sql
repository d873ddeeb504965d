-- Purpose: when facts were recorded, and where their lines lie.
-- Parameters: ids
-- Columns: fact_id, occurred_at, segment, start_byte, end_byte
SELECT fact_id, occurred_at, segment, start_byte, end_byte FROM fact WHERE fact_id IN (SELECT unnest($ids))
