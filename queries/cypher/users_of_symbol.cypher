// Purpose: symbols that call or name a symbol.
// Parameters: id
// Columns: repository, path, name
MATCH (t:Symbol)-[:CALLS]->(s:Symbol {id: $id})
RETURN t.repository AS repository, t.path AS path, t.name AS name
UNION
MATCH (t:Symbol)-[:REFERENCES]->(s:Symbol {id: $id})
RETURN t.repository AS repository, t.path AS path, t.name AS name
