-- Purpose: what consumers have dealt with, the newest first.
-- Parameters: consumer (or null), limit
-- Columns: session, consumer, processed_at, is_current (the session holds now what it held then), content_digest, note
SELECT p.session_key AS session, p.consumer, p.processed_at,
    coalesce(d.content_digest = p.content_digest, false) AS is_current, p.content_digest, p.note
FROM processed_session AS p
LEFT JOIN session_digest AS d USING (session_key)
WHERE $consumer IS NULL OR p.consumer = $consumer
ORDER BY p.processed_at DESC, session
LIMIT $limit
