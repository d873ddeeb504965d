// Purpose: references of the file that defines a symbol which lead nowhere.
// Parameters: id (of the symbol)
// Columns: path, references, reasons (how many for which reason)
MATCH (f:File)-[:DEFINES]->(:Symbol {id: $id})
WHERE f.unresolved_references > 0
RETURN f.path AS path, f.unresolved_references AS references, f.unresolved_reasons AS reasons
ORDER BY path
