-- Purpose: the parts of every transcript whose bytes the repository has, in order, transcripts of one session together.
-- Columns: session_key, path, content_id, segment, start_byte, end_byte
SELECT d.session_key, d.path, d.content_id, p.segment, p.start_byte, p.end_byte
FROM present_document AS d
JOIN part AS p USING (document_id)
WHERE d.role IN ('transcript', 'fallback_transcript', 'task_transcript') AND NOT d.is_missing
ORDER BY d.session_key, d.path, p.ordinal
