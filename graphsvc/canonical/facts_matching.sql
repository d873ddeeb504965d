-- Purpose: facts that a recall may return, in its order.
-- Parameters: needle (folded, empty for all), scopes (keys, null for all), ranks_by_scope, kinds (null for all),
--   since, until, known_at (each null for no bound), valid_at, with_superseded, anchors ([kind, id] as JSON, null
--   for all), limit (null for all)
-- Columns: as facts_by_id.sql
SELECT
    f.fact_id, f.fact_kind, f.content, f.recorded_at, f.scope_instance, f.scope_project, f.scope_workspace,
    f.told_by, f.valid_from, f.valid_until, f.expires_at
FROM fact AS f
WHERE ($scopes IS NULL OR list_contains($scopes, f.scope_key))
    AND ($kinds IS NULL OR list_contains($kinds, f.fact_kind))
    AND ($since IS NULL OR f.recorded_at >= $since)
    AND ($until IS NULL OR f.recorded_at < $until)
    AND ($known_at IS NULL OR f.recorded_at <= $known_at)
    AND (f.valid_from IS NULL OR f.valid_from <= $valid_at)
    AND (f.valid_until IS NULL OR f.valid_until > $valid_at)
    AND (f.expires_at IS NULL OR f.expires_at > $valid_at)
    AND ($needle = '' OR contains(f.folded_content, $needle))
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
ORDER BY
    CASE
        WHEN NOT $ranks_by_scope THEN 0
        WHEN f.scope_workspace <> '' THEN 3
        WHEN f.scope_project <> '' THEN 2
        WHEN f.scope_instance <> '' THEN 1
        ELSE 0
    END DESC,
    f.recorded_at DESC,
    f.fact_id
LIMIT $limit
