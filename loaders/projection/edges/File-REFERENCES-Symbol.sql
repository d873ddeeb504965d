-- Purpose: the symbols that the top level of a file names, outside of any definition.
-- Columns: as of Symbol-REFERENCES-Symbol
SELECT
    file_id(repository_id, path) AS source,
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
WHERE kind = 'REFERENCES' AND source_id IS NULL
GROUP BY repository_id, path, target_id
