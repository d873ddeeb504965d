// Purpose: facts of all memory scopes that a recall may return, the newest first.
// Parameters: as facts_in_scope.cypher, without scope
// Columns: id, kind, content, scope, told_by, recorded_at, valid_from, valid_until, expires_at, anchors, records
MATCH (f:Fact)
WHERE f.recorded_at >= $earliest AND f.recorded_at <= $latest
    AND (f.valid_from IS NULL OR f.valid_from <= $valid_at)
    AND (f.valid_until IS NULL OR f.valid_until > $valid_at)
    AND (f.expires_at IS NULL OR f.expires_at > $valid_at)
    AND (f.forgotten_at IS NULL OR f.forgotten_at > $known_at)
    AND (f.superseded_from IS NULL OR f.superseded_from > $superseded_at)
    AND (NOT $has_kinds OR list_contains($kinds, f.kind))
    AND ($needle = '' OR f.folded_content CONTAINS $needle)
RETURN f.id AS id, f.kind AS kind, f.content AS content, f.scope AS scope, f.told_by AS told_by,
    f.recorded_at AS recorded_at, f.valid_from AS valid_from, f.valid_until AS valid_until,
    f.expires_at AS expires_at, f.anchors AS anchors, f.records AS records
ORDER BY recorded_at DESC, id
LIMIT $cap
