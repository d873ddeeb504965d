-- Purpose: one node a turn: a typed prompt and all that follows until the next.
-- Columns: id, session, ordinal (from 1 within the session, null when withdrawn), started_at, ended_at,
--   record_count, prompt (its first 400 characters), withdrawn, segment, start_byte, end_byte (the prompt's record)
SELECT
    turn_id AS id,
    session_id(session_key) AS session,
    ordinal,
    started_at,
    ended_at,
    record_count,
    left(prompt, 400) AS prompt,
    NOT is_present AS withdrawn,
    segment,
    start_byte,
    end_byte
FROM turn
