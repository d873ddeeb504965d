// Purpose: names of symbols that begin with a text.
// Parameters: prefix
// Columns: name
MATCH (s:Symbol)
WHERE starts_with(s.name, $prefix)
RETURN DISTINCT s.name AS name
ORDER BY name
LIMIT 50
