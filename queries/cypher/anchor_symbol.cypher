// Purpose: the definitions of a symbol in the indexed snapshots.
// Parameters: id
// Columns: file, path, segment, start_byte, end_byte
MATCH (f:File)-[d:DEFINES]->(s:Symbol)
WHERE s.id = $id
RETURN f.id AS file, f.path AS path, d.segment AS segment, d.start_byte AS start_byte, d.end_byte AS end_byte
ORDER BY path, start_byte
