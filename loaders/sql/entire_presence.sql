-- Purpose: events of a source whose presence has changed, given the documents that it holds now. A document is present
--   when it is one of those; what metadata says, while a present document of its folder has the same bytes; a fault,
--   while the document that it was met in is present.
-- Parameters: source (source id); table held (event_id, document_id, checkpoint_key, session_index, role)
-- Columns: event_id, kind, state (withdrawn or restored)
WITH metadata AS (
    SELECT DISTINCT h.checkpoint_key, h.session_index, p.segment
    FROM held AS h
    JOIN part AS p USING (document_id)
    WHERE h.role = 'metadata'
),
said AS (
    SELECT event_id, 'checkpoint' AS kind, source_id, segment, checkpoint_key, NULL::BIGINT AS session_index
    FROM checkpoint
    UNION ALL
    SELECT event_id, 'checkpoint_session', source_id, segment, checkpoint_key, session_index
    FROM checkpoint_session
    UNION ALL
    SELECT event_id, 'file_touch', source_id, segment, checkpoint_key, session_index
    FROM file_touch WHERE checkpoint_key IS NOT NULL
    UNION ALL
    SELECT event_id, 'token_usage', source_id, segment, checkpoint_key, session_index
    FROM token_usage WHERE checkpoint_key IS NOT NULL
    UNION ALL
    SELECT event_id, 'attribution', source_id, segment, checkpoint_key, session_index FROM attribution
    UNION ALL
    SELECT event_id, 'session_summary', source_id, segment, checkpoint_key, session_index FROM session_summary
),
stated AS (
    SELECT s.event_id, s.kind, bool_or(m.segment IS NOT NULL) AS is_present
    FROM said AS s
    LEFT JOIN metadata AS m ON m.segment = s.segment AND m.checkpoint_key = s.checkpoint_key
        AND coalesce(s.session_index, m.session_index) IS NOT DISTINCT FROM m.session_index
    WHERE s.source_id = $source
    GROUP BY s.event_id, s.kind
    UNION ALL
    SELECT d.event_id, 'document', h.event_id IS NOT NULL
    FROM document AS d
    LEFT JOIN held AS h USING (event_id)
    WHERE d.source_id = $source
    UNION ALL
    SELECT f.event_id, 'fault', h.event_id IS NOT NULL
    FROM fault AS f
    LEFT JOIN held AS h ON h.event_id = f.subject
    WHERE f.source_id = $source
)
SELECT s.event_id, s.kind, CASE WHEN s.is_present THEN 'restored' ELSE 'withdrawn' END AS state
FROM stated AS s
LEFT JOIN withdrawn AS w USING (event_id)
WHERE s.is_present = (w.event_id IS NOT NULL)
ORDER BY s.kind, s.event_id
