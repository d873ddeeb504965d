// Purpose: what people call some symbols.
// Parameters: ids
// Columns: id, name
MATCH (s:Symbol)
WHERE s.id IN $ids
RETURN s.id AS id, s.qualified_name AS name
