-- Purpose: models that answered in sessions, those of the most sessions first.
-- Columns: value
SELECT model AS value
FROM (
    SELECT session_key, model FROM present_checkpoint_session
    UNION
    SELECT session_key, model FROM entry
)
WHERE model IS NOT NULL
GROUP BY model
ORDER BY count(*) DESC, model
