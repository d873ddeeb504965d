-- Purpose: references of the indexed snapshots' code that lead nowhere, counted by reason.
-- Columns: reason, reference_count
SELECT reason, sum(most)::BIGINT AS reference_count
FROM (
    SELECT repository_id, path, reason, max(reference_count) AS most FROM code_gap GROUP BY repository_id, path, reason
)
GROUP BY reason
ORDER BY reason
