// Question: which symbols do the most other files call?
// Parameters: limit = 20
// Columns: symbol, kind, path, start_line, files, callers (symbols in those files), sites (places)
// Notes: only the best target of each call counts, and neither tests nor calls out of tests.
MATCH (c:Symbol)-[r:CALLS]->(s:Symbol)
WHERE r.rank = 0 AND NOT c.is_test AND NOT s.is_test AND c.path <> s.path
WITH s, c.path AS file, count(*) AS callers, sum(r.sites) AS sites
RETURN s.qualified_name AS symbol, s.kind AS kind, s.path AS path, s.start_line AS start_line,
    count(*) AS files, CAST(sum(callers) AS INT64) AS callers, CAST(sum(sites) AS INT64) AS sites
ORDER BY files DESC, callers DESC, symbol, path
LIMIT $limit
