-- Purpose: documents that make up a session's transcript, in order: the host's own files, else those of the checkpoint
--   that has most of it.
-- Parameters: session
-- Columns: document_id
WITH candidate AS (
    SELECT *, checkpoint_key IS NULL AS is_host,
        sum(byte_count) OVER (PARTITION BY source_id, checkpoint_key, session_index) AS size
    FROM session_document
    JOIN (SELECT document_id, any_value(byte_count) AS byte_count FROM document WHERE role <> 'usage' GROUP BY document_id)
        USING (document_id)
    WHERE session_key = $session AND is_present
),
best AS (
    SELECT is_host, source_id, checkpoint_key, session_index
    FROM candidate ORDER BY is_host DESC, size DESC, source_id, checkpoint_key, session_index LIMIT 1
)
SELECT c.document_id
FROM candidate AS c
JOIN best AS b ON b.is_host AND c.is_host OR b.source_id = c.source_id AND b.checkpoint_key = c.checkpoint_key
    AND b.session_index = c.session_index
ORDER BY c.rank
