// Question: which symbols are called most?
// Parameters: limit = 20
// Columns: symbol, kind, path, start_line, callers (symbols that call it), sites (places), files (of the callers)
// Notes: only the best target of each call counts, and neither tests nor calls out of tests.
MATCH (c:Symbol)-[r:CALLS]->(s:Symbol)
WHERE r.rank = 0 AND NOT c.is_test AND NOT s.is_test
WITH s, c.path AS file, count(*) AS callers, sum(r.sites) AS sites
RETURN s.qualified_name AS symbol, s.kind AS kind, s.path AS path, s.start_line AS start_line,
    CAST(sum(callers) AS INT64) AS callers, CAST(sum(sites) AS INT64) AS sites, count(*) AS files
ORDER BY callers DESC, sites DESC, symbol, path
LIMIT $limit
