// Question: which functions and methods of an indexed snapshot does nothing resolved call or name?
// Parameters: limit = 50
// Columns: symbol, kind, path, start_line, lines, is_exported
// Notes: calls through interfaces, reflection or from other repositories are not seen: a hint, not a proof.
MATCH (s:Symbol)
WHERE s.kind IN ['function', 'method'] AND NOT s.is_test AND NOT s.name IN ['main', 'init']
    AND NOT EXISTS { MATCH (:Symbol)-[:CALLS]->(s) } AND NOT EXISTS { MATCH (:File)-[:CALLS]->(s) }
    AND NOT EXISTS { MATCH (:Symbol)-[:REFERENCES]->(s) } AND NOT EXISTS { MATCH (:File)-[:REFERENCES]->(s) }
RETURN s.qualified_name AS symbol, s.kind AS kind, s.path AS path, s.start_line AS start_line,
    s.end_line - s.start_line + 1 AS lines, s.is_exported AS is_exported
ORDER BY lines DESC, symbol, path
LIMIT $limit
