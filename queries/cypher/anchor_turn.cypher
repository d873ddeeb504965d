// Purpose: turns that are still in their session, by the beginning of their ids.
// Parameters: id
// Columns: id, segment, start_byte, end_byte (of the prompt's record)
MATCH (t:Turn)
WHERE t.id STARTS WITH $id AND NOT t.withdrawn
RETURN t.id AS id, t.segment AS segment, t.start_byte AS start_byte, t.end_byte AS end_byte
ORDER BY id
LIMIT 6
