-- Purpose: the passages of a batch of sessions, in an order that depends on nothing but evidence.
-- Parameters: batch
-- Columns: see loaders/passages/__init__.py
SELECT p.*
FROM passage AS p
JOIN passage_batch AS b ON b.session = coalesce(p.session, '')
WHERE b.batch = $batch
ORDER BY p.session NULLS FIRST, p.kind, p.key, p.path, p.start_byte
