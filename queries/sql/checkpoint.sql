-- Purpose: the sessions of a checkpoint with its commits.
-- Parameters: checkpoint
-- Columns: checkpoint, session_index, session, agent, branch, created_at, strategy, files, input_tokens,
--   output_tokens, intent, commits, documents, missing_documents, is_withdrawn, segment, start_byte, end_byte
--   (of the session's metadata)
WITH token AS (
    SELECT source_id, checkpoint_key, session_index, max(input_tokens) AS input_tokens,
        max(output_tokens) AS output_tokens
    FROM token_usage ANTI JOIN withdrawn USING (event_id)
    WHERE scope = 'checkpoint_session' AND checkpoint_key = $checkpoint
    GROUP BY source_id, checkpoint_key, session_index
),
summary AS (
    SELECT source_id, checkpoint_key, session_index, min(intent) AS intent
    FROM session_summary ANTI JOIN withdrawn USING (event_id) WHERE checkpoint_key = $checkpoint
    GROUP BY source_id, checkpoint_key, session_index
),
stored AS (
    SELECT source_id, checkpoint_key, session_index, count(*) AS documents,
        count(*) FILTER (is_missing) AS missing_documents
    FROM present_document WHERE checkpoint_key = $checkpoint GROUP BY source_id, checkpoint_key, session_index
),
named AS (
    SELECT repository_id, value AS checkpoint_key, list(DISTINCT commit_oid ORDER BY commit_oid) AS commits
    FROM checkpoint_trailer WHERE value = $checkpoint GROUP BY repository_id, value
)
SELECT s.checkpoint_key AS checkpoint, s.session_index, s.session_key AS session, s.agent, s.branch,
    s.occurred_at AS created_at, s.strategy, len(s.files_touched) AS files, t.input_tokens, t.output_tokens,
    m.intent, n.commits, d.documents, d.missing_documents, w.event_id IS NOT NULL AS is_withdrawn,
    s.segment, s.start_byte, s.end_byte
FROM checkpoint_session AS s
LEFT JOIN withdrawn AS w USING (event_id)
LEFT JOIN token AS t USING (source_id, checkpoint_key, session_index)
LEFT JOIN summary AS m USING (source_id, checkpoint_key, session_index)
LEFT JOIN stored AS d USING (source_id, checkpoint_key, session_index)
LEFT JOIN named AS n USING (repository_id, checkpoint_key)
WHERE s.checkpoint_key = $checkpoint
ORDER BY is_withdrawn, s.session_index
