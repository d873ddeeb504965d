-- Purpose: tokens of sessions, every message of a model counted once.
-- Parameters: sessions (their normalised ids)
-- Columns: session_key, input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens
SELECT session_key, input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens
FROM session_tokens
WHERE session_key IN (SELECT unnest($sessions::VARCHAR[]))
