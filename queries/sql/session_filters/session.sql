-- Purpose: sessions by id, normalised or as recorded.
-- Parameters: session
-- Columns: session_key
SELECT unnest($session::VARCHAR[]) AS session_key
