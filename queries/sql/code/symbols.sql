-- Purpose: symbols of a name.
-- Parameters: name
-- Columns: id, name, kind, qualified_name, path, start_line, end_line, signature, is_test, segment, start_byte, end_byte
SELECT id, name, kind, qualified_name, path, start_line, end_line, signature, is_test, segment, start_byte, end_byte
FROM node
WHERE kind <> 'file' AND (name = $name OR id = $name OR qualified_name = $name)
ORDER BY is_test, path, start_line, id
