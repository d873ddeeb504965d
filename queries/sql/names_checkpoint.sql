-- Purpose: ids of checkpoints that begin with a text.
-- Parameters: prefix
-- Columns: checkpoint_key
SELECT DISTINCT checkpoint_key
FROM checkpoint
WHERE starts_with(checkpoint_key, $prefix)
ORDER BY checkpoint_key
LIMIT 50
