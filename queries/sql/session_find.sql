-- Purpose: sessions whose normalised or recorded id is, or begins with, a text.
-- Parameters: id
-- Columns: session_key
WITH known AS (
    SELECT session_key, raw_session_id FROM checkpoint_session
    UNION
    SELECT session_key, raw_session_id FROM host_session
    UNION
    SELECT session_key, session_key FROM entry
)
SELECT DISTINCT session_key
FROM known
WHERE session_key = $id OR raw_session_id = $id OR session_id(session_key) = $id
    OR ((starts_with(session_key, $id) OR starts_with(raw_session_id, $id))
        AND NOT EXISTS (FROM known WHERE session_key = $id OR raw_session_id = $id))
ORDER BY session_key
