-- Purpose: how checkpoints of sessions were made, the most frequent first.
-- Columns: value
SELECT strategy AS value FROM present_checkpoint_session WHERE strategy IS NOT NULL
GROUP BY strategy ORDER BY count(*) DESC, strategy
