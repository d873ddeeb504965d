-- Purpose: the facts that a fact supersedes.
-- Columns: source, target, recorded_at, effective_at (in microseconds since 1970; null for recorded_at), segment,
--   start_byte, end_byte
SELECT
    fact_id AS source,
    target_fact_id AS target,
    recorded_at,
    effective_at,
    segment,
    start_byte,
    end_byte
FROM fact_link
WHERE relation = 'supersedes'
