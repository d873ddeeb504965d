// Purpose: what stands next to a file: who imports it, what it imports, what changes with it.
// Parameters: id
// Columns: id, relation
MATCH (o:File)-[:IMPORTS]->(f:File {id: $id}) RETURN o.id AS id, 'imports it' AS relation
UNION
MATCH (f:File {id: $id})-[:IMPORTS]->(o:File) RETURN o.id AS id, 'imported by it' AS relation
UNION
MATCH (f:File {id: $id})-[:CO_CHANGED]-(o:File) RETURN o.id AS id, 'changes with it' AS relation
