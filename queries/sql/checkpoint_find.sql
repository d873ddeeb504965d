-- Purpose: checkpoints whose id is, or begins with, a text.
-- Parameters: id
-- Columns: checkpoint_key
SELECT DISTINCT checkpoint_key FROM checkpoint
WHERE checkpoint_key = $id OR checkpoint_id(repository_id, checkpoint_key) = $id
    OR starts_with(checkpoint_key, $id)
ORDER BY checkpoint_key
