-- Purpose: the sessions that a checkpoint recorded.
-- Columns: source, target, session_index (the lowest directory number), withdrawn
SELECT
    checkpoint_id(c.repository_id, c.checkpoint_key) AS source,
    session_id(c.session_key) AS target,
    coalesce(min(c.session_index) FILTER (w.event_id IS NULL), min(c.session_index)) AS session_index,
    bool_and(w.event_id IS NOT NULL) AS withdrawn
FROM checkpoint_session AS c
LEFT JOIN withdrawn AS w USING (event_id)
GROUP BY c.repository_id, c.checkpoint_key, c.session_key
