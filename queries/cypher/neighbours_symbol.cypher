// Purpose: what stands next to a symbol: who calls it, what it calls, what it inherits from or gives to, its file.
// Parameters: id
// Columns: id, relation
MATCH (o:Symbol)-[:CALLS]->(s:Symbol {id: $id}) RETURN o.id AS id, 'calls it' AS relation
UNION
MATCH (s:Symbol {id: $id})-[:CALLS]->(o:Symbol) RETURN o.id AS id, 'called by it' AS relation
UNION
MATCH (o:Symbol)-[:INHERITS]->(s:Symbol {id: $id}) RETURN o.id AS id, 'inherits from it' AS relation
UNION
MATCH (s:Symbol {id: $id})-[:INHERITS]->(o:Symbol) RETURN o.id AS id, 'it inherits from' AS relation
UNION
MATCH (o:File)-[:DEFINES]->(s:Symbol {id: $id}) RETURN o.id AS id, 'defines it' AS relation
