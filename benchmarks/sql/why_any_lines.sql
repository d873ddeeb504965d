-- Purpose: the beginnings of runs of lines of the indexed snapshots.
-- Columns: path, line
SELECT path, first_line AS line FROM line_origin ORDER BY path, first_line
