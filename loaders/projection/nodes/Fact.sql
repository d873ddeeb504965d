-- Purpose: one node a fact that was ever remembered.
-- Columns: id, kind, content, folded_content, scope (id of its Scope), told_by, recorded_at, valid_from, valid_until,
--   expires_at (all in microseconds since 1970), forgotten_at and superseded_from (from when a recall leaves it out,
--   null for never), anchors (each as JSON: kind, id, digest), records (later links and tombstones that name it, in
--   order, each as JSON: relation, fact, target, recorded_at, effective_at, reason), segment, start_byte, end_byte
-- Order: scope, recorded_at DESC
WITH record AS (
    SELECT fact_id AS about, relation, fact_id, target_fact_id, recorded_at, effective_at, NULL AS reason, event_id
    FROM fact_link
    UNION ALL
    SELECT target_fact_id, relation, fact_id, target_fact_id, recorded_at, effective_at, NULL, event_id
    FROM fact_link
    UNION ALL
    SELECT fact_id, 'forget', fact_id, NULL, recorded_at, NULL, reason, event_id
    FROM fact_forgetting
),
said AS (
    SELECT about,
        min(recorded_at) FILTER (relation = 'forget') AS forgotten_at,
        min(coalesce(effective_at, recorded_at)) FILTER (relation = 'supersedes' AND target_fact_id = about)
            AS superseded_from,
        list(
            json_array(relation, fact_id, target_fact_id, recorded_at, effective_at, reason)::VARCHAR
            ORDER BY relation = 'forget', recorded_at, event_id
        ) AS records
    FROM record
    GROUP BY about
),
anchored AS (
    SELECT fact_id, list(json_array(anchor_kind, anchor_id, digest)::VARCHAR ORDER BY ordinal) AS anchors
    FROM fact_anchor
    GROUP BY fact_id
)
SELECT
    f.fact_id AS id,
    f.fact_kind AS kind,
    f.content,
    f.folded_content,
    f.scope_key AS scope,
    f.told_by,
    f.recorded_at,
    f.valid_from,
    f.valid_until,
    f.expires_at,
    s.forgotten_at,
    s.superseded_from,
    coalesce(a.anchors, []) AS anchors,
    coalesce(s.records, []) AS records,
    f.segment,
    f.start_byte,
    f.end_byte
FROM fact AS f
LEFT JOIN said AS s ON s.about = f.fact_id
LEFT JOIN anchored AS a USING (fact_id)
