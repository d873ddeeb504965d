-- Purpose: where symbols of a name were, by what the tracked commits say of them.
-- Parameters: name
-- Columns: repository_id, path, descriptor, disambiguator
SELECT DISTINCT repository_id, path, descriptor, disambiguator
FROM present_symbol_change
WHERE name = $name
ORDER BY ALL
