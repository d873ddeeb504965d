-- Purpose: one node a turn: a typed prompt and all that follows until the next.
-- Columns: id, session, ordinal (from 1 within the session, null when withdrawn), started_at, ended_at,
--   record_count, prompt (its first 400 characters), is_abandoned (the session went on from before it, so that the model
--   no longer knew of it), withdrawn, segment, start_byte, end_byte (the prompt's record)
SELECT
    turn_id AS id,
    session_id(session_key) AS session,
    ordinal,
    started_at,
    ended_at,
    record_count,
    left(prompt, 400) AS prompt,
    EXISTS (
        SELECT 1 FROM rewound AS r
        WHERE r.session_key = turn.session_key AND turn.position > r.after AND turn.position < r.before
    ) AS is_abandoned,
    NOT is_present AS withdrawn,
    segment,
    start_byte,
    end_byte
FROM turn
