-- Purpose: how what SCIP indexes say of references compares with resolution.
-- Columns: outcome, reference_count
SELECT outcome, sum(most)::BIGINT AS reference_count
FROM (
    SELECT repository_id, path, outcome, max(reference_count) AS most FROM code_agreement
    GROUP BY repository_id, path, outcome
)
GROUP BY outcome
ORDER BY outcome
