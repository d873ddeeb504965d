-- Purpose: the root commit by which a source's repository is known.
-- Parameters: $source
-- Columns: root_oid
SELECT root_oid FROM repository WHERE source_id = $source
