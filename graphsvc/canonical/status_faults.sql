-- Purpose: input of each source that could not be used, by kind; recovered and withdrawn ones are not counted.
-- Columns: source_id, fault_kind, faults
SELECT source_id, fault_kind, count(*) AS faults
FROM fault
ANTI JOIN withdrawn USING (event_id)
WHERE NOT is_recovered
GROUP BY source_id, fault_kind
ORDER BY source_id, fault_kind
