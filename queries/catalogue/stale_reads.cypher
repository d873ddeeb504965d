// Question: which sessions trust a read of a file that has changed since?
// Columns: session, path, lines, is_seen (every line was shown), confidence (that it is this file)
MATCH (r:ReadScope)-[o:OF]->(f:File)
WHERE o.is_changed
RETURN r.session AS session, f.path AS path, r.lines AS lines, r.is_seen AS is_seen, o.confidence AS confidence
ORDER BY session, path, lines
