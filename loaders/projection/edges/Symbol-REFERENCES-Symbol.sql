-- Purpose: the symbols that a symbol's text names, as a type for example, one edge a pair.
-- Columns: source, target, sites (how many references), lines (of all of them), origin (of the surest one; see
--   docs/design.md), confidence, rank (0 for the best target of its reference), segment, start_byte, end_byte (of
--   the first of the surest references)
SELECT
    source_id AS source,
    target_id AS target,
    count(*) AS sites,
    array_to_string(list_sort(list(DISTINCT line)), ' ') AS lines,
    arg_min(origin, (-confidence, path, start_byte)) AS origin,
    max(confidence) AS confidence,
    min(rank) AS rank,
    arg_min(segment, (-confidence, path, start_byte)) AS segment,
    arg_min(start_byte, (-confidence, path, start_byte)) AS start_byte,
    arg_min(end_byte, (-confidence, path, start_byte)) AS end_byte
FROM code_edge
WHERE kind = 'REFERENCES' AND source_id IS NOT NULL
GROUP BY source_id, target_id
