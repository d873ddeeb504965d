-- Purpose: the transcripts of sessions of the pi host whose id begins with a text.
-- Parameters: session
-- Columns: session_key, documents (those that it consists of, in order)
SELECT session_key, documents
FROM pi_transcript
WHERE starts_with(session_key, $session)
ORDER BY session_key
