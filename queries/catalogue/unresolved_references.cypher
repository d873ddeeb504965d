// Question: in which files do the most references of code lead nowhere, and why?
// Parameters: limit = 20
// Columns: path, references, reasons (how many for which reason, the most frequent first)
// Notes: builtin and external ones lead out of the snapshot; what the other reasons mean, docs/resolution.md says.
MATCH (f:File)
WHERE f.unresolved_references > 0
RETURN f.path AS path, f.unresolved_references AS references, f.unresolved_reasons AS reasons
ORDER BY references DESC, path
LIMIT $limit
