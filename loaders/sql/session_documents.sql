-- Purpose: every document that a source of host sessions has had, and what became of it.
-- Parameters: source (source id)
-- Columns: event_id, document_id, path, chunk, content_id, byte_count, line_count, modified_at (microseconds), role,
--   format, session_key, ends_with_newline, state (present, withdrawn or kept)
SELECT
    d.event_id, d.document_id, d.path, d.chunk, d.content_id, d.byte_count, d.line_count,
    epoch_us(d.occurred_at) AS modified_at, d.role, d.format, d.session_key, d.ends_with_newline,
    CASE coalesce(t.state, 'restored') WHEN 'restored' THEN 'present' ELSE t.state END AS state
FROM document AS d
LEFT JOIN (
    SELECT target_event_id, arg_max(state, seq) AS state
    FROM tombstone
    WHERE target_kind = 'document'
    GROUP BY target_event_id
) AS t ON t.target_event_id = d.event_id
WHERE d.source_id = $source
ORDER BY d.path, d.chunk, d.document_id
