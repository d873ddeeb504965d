-- Purpose: input that could not be used, by kind; recovered ones are not counted.
-- Columns: fault_kind, faults
SELECT fault_kind, count(*) AS faults
FROM fault
ANTI JOIN withdrawn USING (event_id)
WHERE NOT is_recovered
GROUP BY fault_kind
ORDER BY fault_kind
