-- Purpose: facts that a recall may return, in its order.
-- Parameters: needle (folded, empty for all), scopes (keys, innermost first, null for all), ranks_by_scope, kinds (null
--   for all), since, until, known_at (each null for no bound), valid_at, with_superseded, anchors ([kind, id] as JSON, null
--   for all), limit (null for all)
-- Columns: as facts_by_id.sql
-- The scan decides what a recall costs: few rows are of its scopes, so that only their words are looked through, and the
-- key alone says what the three columns of the scope say.
SELECT
    f.fact_id, f.fact_kind, f.content, f.recorded_at, f.scope_key, f.told_by, f.valid_from, f.valid_until, f.expires_at
FROM fact AS f
WHERE CASE WHEN $scopes IS NULL OR list_contains($scopes, f.scope_key)
        THEN $needle = '' OR contains(f.folded_content, $needle) ELSE false END
    AND ($kinds IS NULL OR list_contains($kinds, f.fact_kind))
    AND ($since IS NULL OR f.recorded_at >= $since)
    AND ($until IS NULL OR f.recorded_at < $until)
    AND ($known_at IS NULL OR f.recorded_at <= $known_at)
    AND (f.valid_from IS NULL OR f.valid_from <= $valid_at)
    AND (f.valid_until IS NULL OR f.valid_until > $valid_at)
    AND (f.expires_at IS NULL OR f.expires_at > $valid_at)
    AND ($anchors IS NULL OR f.fact_id IN (
        SELECT a.fact_id FROM fact_anchor AS a
        WHERE list_contains($anchors, [a.anchor_kind, a.anchor_id])
    ))
    AND f.fact_id NOT IN (
        SELECT t.fact_id FROM fact_forgetting AS t WHERE $known_at IS NULL OR t.recorded_at <= $known_at
    )
    AND ($with_superseded OR f.fact_id NOT IN (
        SELECT l.target_fact_id FROM fact_link AS l
        WHERE l.relation = 'supersedes' AND ($known_at IS NULL OR l.recorded_at <= $known_at)
            AND coalesce(l.effective_at, l.recorded_at) <= $valid_at
    ))
ORDER BY CASE WHEN $ranks_by_scope THEN list_position($scopes, f.scope_key) END, f.recorded_at DESC, f.fact_id
LIMIT $limit
