// Purpose: symbols that call a symbol.
// Parameters: id
// Columns: id, name, kind, qualified_name, path, start_line, is_test, sites, lines, origin, confidence, segment,
//   start_byte, end_byte (of the surest call)
MATCH (o:Symbol)-[r:CALLS]->(s:Symbol {id: $id})
RETURN o.id AS id, o.name AS name, o.kind AS kind, o.qualified_name AS qualified_name, o.path AS path,
    o.start_line AS start_line, o.is_test AS is_test, r.sites AS sites, r.lines AS lines, r.origin AS origin,
    r.confidence AS confidence, r.segment AS segment, r.start_byte AS start_byte, r.end_byte AS end_byte
ORDER BY confidence DESC, is_test, path, start_line, id
