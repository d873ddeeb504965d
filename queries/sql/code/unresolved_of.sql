-- Purpose: references of the files that define some symbols which lead nowhere.
-- Parameters: ids (of the symbols)
-- Columns: path, reference_count, reasons (how many for which reason, the most frequent first)
SELECT path, sum(most)::BIGINT AS reference_count,
    string_agg(most || ' ' || reason, ', ' ORDER BY most DESC, reason) AS reasons
FROM (
    SELECT repository_id, path, reason, max(reference_count) AS most
    FROM code_gap
    SEMI JOIN (SELECT repository_id, path FROM code_symbol WHERE list_contains($ids, symbol_id))
        USING (repository_id, path)
    GROUP BY repository_id, path, reason
)
GROUP BY repository_id, path
ORDER BY path
