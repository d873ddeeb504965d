-- Purpose: what a source has stated about its present condition, which the next refresh confirms or withdraws.
-- Parameters: $source, $fault_kinds (faults that pass once the repository is mended)
-- Columns: kind, event_id, is_withdrawn, name (reference, or where the fault is), fault_kind, commit_oid,
--   symbolic_target (of references)
SELECT s.*, w.event_id IS NOT NULL AS is_withdrawn
FROM (
    SELECT 'reference' AS kind, event_id, name, NULL AS fault_kind, commit_oid, symbolic_target
    FROM reference WHERE source_id = $source
    UNION ALL
    SELECT 'snapshot', event_id, reference, NULL, NULL, NULL
    FROM snapshot WHERE source_id = $source
    UNION ALL
    SELECT 'fault', event_id, location, fault_kind, NULL, NULL
    FROM fault WHERE source_id = $source AND fault_kind IN (SELECT unnest($fault_kinds))
) AS s
LEFT JOIN withdrawn AS w USING (event_id)
ORDER BY s.kind, s.event_id
