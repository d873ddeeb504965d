-- Purpose: sessions of subagents, whether the call that started them is known or not, even where the parent's transcript
--   is not in the store.
-- Columns: source, target, withdrawn
SELECT session_id(parent_key) AS source, session_id(session_key) AS target, NOT is_present AS withdrawn
FROM session_spawn
