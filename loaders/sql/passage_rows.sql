-- Purpose: the passages of some units, in an order that depends on nothing but evidence.
-- Parameters: units
-- Columns: see loaders/sql/passages.sql
SELECT p.*
FROM passage AS p
WHERE p.unit IN (SELECT unnest($units))
ORDER BY p.session NULLS FIRST, p.repository, p.path, p.kind, p.key, p.start_byte
