-- Purpose: sessions that a checkpoint recorded.
-- Parameters: checkpoint
-- Columns: session_key
SELECT session_key FROM present_checkpoint_session WHERE starts_with(checkpoint_key, $checkpoint)
