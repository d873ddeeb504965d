// Purpose: files whose top level calls a symbol.
// Parameters: id
// Columns: id, name, kind, qualified_name, path, start_line, is_test, sites, lines, origin, confidence, segment,
//   start_byte, end_byte (of the surest call)
MATCH (f:File)-[r:CALLS]->(s:Symbol {id: $id})
RETURN f.id AS id, f.name AS name, 'file' AS kind, f.path AS qualified_name, f.path AS path,
    1 AS start_line, false AS is_test, r.sites AS sites, r.lines AS lines, r.origin AS origin,
    r.confidence AS confidence, r.segment AS segment, r.start_byte AS start_byte, r.end_byte AS end_byte
ORDER BY confidence DESC, path
