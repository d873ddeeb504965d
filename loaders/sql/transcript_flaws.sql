-- Purpose: what was wrong in segments that streams of records have had already.
-- Parameters: table wanted (session_key, parent_call, empty for a session's own records; format)
-- Columns: session_key, parent_call, format, segment, fault_kind, detail, start_byte, end_byte, is_recovered
WITH read_document AS (
    SELECT DISTINCT d.document_id, w.session_key, w.parent_call, w.format
    FROM document AS d
    JOIN wanted AS w ON w.session_key = d.session_key AND w.parent_call = coalesce(d.parent_call, '')
        AND w.format = d.format
    WHERE d.role IN ('transcript', 'fallback_transcript', 'task_transcript', 'usage', 'prompt')
)
SELECT DISTINCT
    r.session_key, r.parent_call, r.format, f.segment, f.fault_kind, f.detail, f.start_byte, f.end_byte,
    f.is_recovered
FROM fault AS f
JOIN part AS p USING (segment)
JOIN read_document AS r USING (document_id)
ORDER BY r.session_key, f.segment, f.start_byte, f.fault_kind
