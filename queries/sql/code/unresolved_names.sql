-- Purpose: calls of some names that lead nowhere, and so may be calls of symbols of that name.
-- Parameters: names
-- Columns: path, reason, reference_count, line (of the first)
SELECT path, reason, count(*) AS reference_count, min(line) AS line
FROM (SELECT DISTINCT repository_id, path, reason, line, start_byte, name FROM code_unresolved)
WHERE list_contains($names, name)
GROUP BY path, reason
ORDER BY reference_count DESC, path, reason
