-- Purpose: what became of a file of the snapshots.
-- Parameters: path
-- Columns: status, reason, error_count
SELECT DISTINCT status, reason, error_count FROM code_file WHERE path = $path ORDER BY status, reason
