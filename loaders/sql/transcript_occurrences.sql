-- Purpose: what streams of records have had already: per segment, the most that one document held of it.
-- Parameters: table wanted (session_key, parent_call, empty for a session's own records; format)
-- Columns: session_key, parent_call, format, segment, occurrences
WITH read_document AS (
    SELECT DISTINCT d.document_id, w.session_key, w.parent_call, w.format
    FROM document AS d
    JOIN wanted AS w ON w.session_key = d.session_key AND w.parent_call = coalesce(d.parent_call, '')
        AND w.format = d.format
    WHERE d.role IN ('transcript', 'fallback_transcript', 'task_transcript', 'usage', 'prompt')
),
held AS (
    SELECT r.document_id, r.session_key, r.parent_call, r.format, p.segment, count(*) AS occurrences
    FROM read_document AS r
    JOIN part AS p USING (document_id)
    GROUP BY ALL
)
SELECT session_key, parent_call, format, segment, max(occurrences) AS occurrences
FROM held
GROUP BY ALL
