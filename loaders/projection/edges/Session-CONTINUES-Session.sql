-- Purpose: sessions that go on from an earlier one.
-- Columns: source, target, relation (continues or fork), origin (stated: a record says so; copied_records: both have
--   records of the same identifier), confidence
SELECT session_id(session_key) AS source, session_id(earlier_key) AS target, min(relation) AS relation,
    max(origin) AS origin, max(confidence) AS confidence
FROM session_continuation
GROUP BY session_key, earlier_key
