// Purpose: files that import a file or changed with it.
// Parameters: id
// Columns: repository, path, name (empty)
MATCH (t:File)-[:IMPORTS]->(f:File {id: $id}) RETURN t.repository AS repository, t.path AS path, '' AS name
UNION
MATCH (t:File)-[:CO_CHANGED]-(f:File {id: $id}) RETURN t.repository AS repository, t.path AS path, '' AS name
