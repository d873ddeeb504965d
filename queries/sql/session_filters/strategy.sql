-- Purpose: sessions whose checkpoints were made by a strategy.
-- Parameters: strategy
-- Columns: session_key
SELECT session_key FROM present_checkpoint_session WHERE strategy = $strategy
