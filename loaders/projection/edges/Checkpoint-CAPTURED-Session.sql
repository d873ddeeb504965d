-- Purpose: the sessions that a checkpoint recorded.
-- Columns: source, target, session_index (the lowest directory number), withdrawn
SELECT
    checkpoint_id(repository_id, checkpoint_key) AS source,
    session_id(session_key) AS target,
    session_index,
    NOT is_present AS withdrawn
FROM captured
