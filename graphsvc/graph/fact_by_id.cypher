// Purpose: one fact.
// Parameters: id
// Columns: as facts_anywhere.cypher
MATCH (f:Fact)
WHERE f.id = $id
RETURN f.id AS id, f.kind AS kind, f.content AS content, f.scope AS scope, f.told_by AS told_by,
    f.recorded_at AS recorded_at, f.valid_from AS valid_from, f.valid_until AS valid_until,
    f.expires_at AS expires_at, f.anchors AS anchors, f.records AS records
