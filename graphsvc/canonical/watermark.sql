-- Purpose: how far each source has been read, in source order.
-- Columns: source_id, generation, position, content_digest, seq_hi
SELECT source_id, generation, position, content_digest, seq_hi FROM cursor ORDER BY source_id
