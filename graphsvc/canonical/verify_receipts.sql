-- Purpose: the chain of receipts, in order.
-- Columns: number, source_id, generation, position, content_digest, seq_lo, seq_hi, counts, batch_digest,
--   previous_digest, digest: the fields in the order in which the digest covers them
SELECT number, source_id, generation, position, content_digest, seq_lo, seq_hi, counts, batch_digest,
    previous_digest, digest
FROM receipt
ORDER BY number
