-- Purpose: batches of sessions, each of about 32 MiB of evidence, in the order of the sessions' keys.
-- Columns: session (empty for what belongs to none), batch
SELECT session, sum(byte_count) OVER (ORDER BY session) // 33554432 AS batch
FROM (SELECT coalesce(session, '') AS session, sum(end_byte - start_byte) AS byte_count FROM passage GROUP BY ALL)
