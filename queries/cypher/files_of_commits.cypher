// Purpose: the files that commits changed, each once a commit.
// Parameters: ids
// Columns: commit, id
MATCH (c:Commit)-[r:CHANGED]->(f:File)
WHERE c.id IN $ids AND NOT r.is_merge AND r.status <> 'D'
RETURN DISTINCT c.id AS commit, f.id AS id
