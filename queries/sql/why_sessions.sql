-- Purpose: the sessions of some checkpoints, those with a transcript first.
-- Parameters: repository, checkpoints (list of keys)
-- Columns: checkpoint_key, session_key, agent, created_at, segment, start_byte, end_byte (of the session's
--   metadata), has_transcript
SELECT s.checkpoint_key, s.session_key, min(s.agent), min(s.occurred_at) AS created_at,
    min(s.segment), arg_min(s.start_byte, s.segment), arg_min(s.end_byte, s.segment),
    s.session_key IN (SELECT session_key FROM session_document) AS has_transcript
FROM checkpoint_session AS s
WHERE s.repository_id = $repository AND list_contains($checkpoints, s.checkpoint_key)
GROUP BY s.checkpoint_key, s.session_key
ORDER BY has_transcript DESC, s.checkpoint_key, min(s.session_index)
