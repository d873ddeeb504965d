-- Purpose: root trees whose entries the store has.
-- Parameters: $source
-- Columns: tree_oid
SELECT DISTINCT tree_oid FROM tree_entry WHERE source_id = $source
