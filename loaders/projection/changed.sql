-- Purpose: kinds of events that have changed since a receipt: those that receipts after it brought, and for events that
--   were withdrawn or restored, what these are.
-- Parameters: receipt (its number)
-- Columns: kind
SELECT kind FROM (SELECT unnest(json_keys(counts)) AS kind FROM receipt WHERE number > $receipt)
WHERE kind <> 'tombstone'
UNION
SELECT target_kind FROM tombstone
WHERE seq > (SELECT coalesce(max(seq_hi), 0) FROM receipt WHERE number <= $receipt)
