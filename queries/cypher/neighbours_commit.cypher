// Purpose: the files that a commit changed.
// Parameters: id
// Columns: id, relation
MATCH (c:Commit {id: $id})-[r:CHANGED]->(f:File)
WHERE NOT r.is_merge AND r.status <> 'D'
RETURN f.id AS id, 'changed by it' AS relation
