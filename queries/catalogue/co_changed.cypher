// Question: which files change together?
// Parameters: path = null (pairs with this file only), limit = 20
// Columns: path, other_path, commits (that changed both), confidence (of those that changed the rarer one)
MATCH (a:File)-[r:CO_CHANGED]->(b:File)
WHERE $path IS NULL OR a.path = $path OR b.path = $path
WITH r, a, b, b.path = $path OR $path IS NULL AND b.path < a.path AS is_turned
RETURN CASE WHEN is_turned THEN b.path ELSE a.path END AS path,
    CASE WHEN is_turned THEN a.path ELSE b.path END AS other_path,
    r.support AS commits, r.confidence AS confidence
ORDER BY commits DESC, confidence DESC, path, other_path
LIMIT $limit
