-- Purpose: the sessions of some checkpoints, those with a transcript first.
-- Parameters: repository, checkpoints (list of keys)
-- Columns: checkpoint_key, session_key, agent, started_at (time of the session's first record), has_transcript (from
--   any source), is_missing (neither that checkpoint nor the session's host has its transcript), segment, start_byte,
--   end_byte (of the session's metadata)
WITH listed AS (
    SELECT checkpoint_key, session_key, session_index, agent, segment, start_byte, end_byte
    FROM checkpoint_session
    WHERE repository_id = $repository AND list_contains($checkpoints, checkpoint_key)
),
held AS (
    SELECT DISTINCT session_key, checkpoint_key, session_index
    FROM document
    WHERE role IN ('transcript', 'fallback_transcript', 'task_transcript') AND NOT is_missing
        AND session_key IN (SELECT session_key FROM listed)
),
begun AS (
    SELECT session_key, min(occurred_at) AS started_at
    FROM entry
    WHERE session_key IN (SELECT session_key FROM listed)
    GROUP BY session_key
)
SELECT s.checkpoint_key, s.session_key, min(s.agent), any_value(b.started_at) AS started_at,
    s.session_key IN (SELECT session_key FROM held) AS has_transcript,
    NOT bool_or(EXISTS (
        SELECT 1 FROM held AS h
        WHERE h.session_key = s.session_key AND (h.checkpoint_key IS NULL
            OR h.checkpoint_key = s.checkpoint_key AND h.session_index = s.session_index)
    )) AS is_missing,
    min(s.segment), arg_min(s.start_byte, s.segment), arg_min(s.end_byte, s.segment)
FROM listed AS s
LEFT JOIN begun AS b USING (session_key)
GROUP BY s.checkpoint_key, s.session_key
ORDER BY has_transcript DESC, is_missing, s.checkpoint_key, min(s.session_index)
