// Purpose: symbols of a name.
// Parameters: name
// Columns: id, name, kind, qualified_name, path, start_line, end_line, signature, is_test, segment, start_byte, end_byte
MATCH (s:Symbol)
WHERE s.name = $name OR s.id = $name OR s.qualified_name = $name
RETURN s.id AS id, s.name AS name, s.kind AS kind, s.qualified_name AS qualified_name, s.path AS path,
    s.start_line AS start_line, s.end_line AS end_line, s.signature AS signature, s.is_test AS is_test,
    s.segment AS segment, s.start_byte AS start_byte, s.end_byte AS end_byte
ORDER BY s.is_test, s.path, s.start_line
