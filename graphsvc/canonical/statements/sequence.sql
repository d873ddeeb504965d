-- Purpose: whether the numbers of events are whole and without gaps.
-- Columns: events, distinct numbers, highest number of an event or a receipt
SELECT count(*), count(DISTINCT seq), coalesce(greatest(max(seq), (SELECT max(seq_hi) FROM receipt)), 0)
FROM event
