-- Purpose: the later records that name facts, in the order in which they were appended.
-- Parameters: ids
-- Columns: relation (supersedes, contradicts or forget), fact_id, target_fact_id, recorded_at, effective_at, reason
SELECT relation, fact_id, target_fact_id, recorded_at, effective_at, reason
FROM (
    SELECT seq, relation, fact_id, target_fact_id, recorded_at, effective_at, NULL AS reason
    FROM fact_link
    WHERE fact_id IN (SELECT unnest($ids)) OR target_fact_id IN (SELECT unnest($ids))
    UNION ALL
    SELECT seq, 'forget', fact_id, NULL, recorded_at, NULL, reason
    FROM fact_forgetting
    WHERE fact_id IN (SELECT unnest($ids))
)
ORDER BY seq
