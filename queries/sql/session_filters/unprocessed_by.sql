-- Purpose: sessions that a consumer has not dealt with as they are now: never, or before they grew.
-- Parameters: unprocessed_by
-- Columns: session_key
SELECT session_key FROM session_digest
ANTI JOIN (FROM processed_session WHERE consumer = $unprocessed_by) USING (session_key, content_digest)
