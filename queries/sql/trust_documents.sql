-- Purpose: the present transcripts of sessions of the pi host whose id begins with a text, newest version first.
-- Parameters: session
-- Columns: session_key, document_id, path
SELECT session_key, document_id, path
FROM present_document
WHERE format = 'pi' AND role IN ('session_tree', 'transcript') AND starts_with(session_key, $session)
ORDER BY session_key, byte_count DESC, document_id
