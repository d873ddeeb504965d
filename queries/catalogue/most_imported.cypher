// Question: which files do the most other files import?
// Parameters: limit = 20
// Columns: path, importers
// Notes: where a language imports packages, an import counts for each file of the package.
MATCH (f:File)-[:IMPORTS]->(o:File)
RETURN o.path AS path, count(*) AS importers
ORDER BY importers DESC, path
LIMIT $limit
