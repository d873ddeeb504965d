// Question: which files change together?
// Parameters: path = null (pairs with this file only), limit = 20
// Columns: path, other_path, commits (that changed both), confidence (of those that changed the rarer one)
// Notes: commits that change more than 30 files are left out, and so are merges; a pair needs 3 commits.

// Matched both ways, of which one is kept: a CASE over both ends gives the ends of other rows.
MATCH (a:File)-[r:CO_CHANGED]-(b:File)
WHERE a.path = $path OR $path IS NULL AND a.path < b.path
RETURN a.path AS path, b.path AS other_path, r.support AS commits, r.confidence AS confidence
ORDER BY commits DESC, confidence DESC, path, other_path
LIMIT $limit
