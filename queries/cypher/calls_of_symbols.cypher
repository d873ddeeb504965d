// Purpose: symbols that call some symbols or are called by them.
// Parameters: ids
// Columns: id (one of those given), other
MATCH (s:Symbol)-[:CALLS]-(o:Symbol)
WHERE s.id IN $ids
RETURN DISTINCT s.id AS id, o.id AS other
