-- Question: what input could not be used as it is, and where?
-- Parameters: kind = null (a kind of fault), limit = 100
-- Columns: kind, place (path inside its source, without line), faults, recovered (read all the same), lines,
--   detail (of the first)
SELECT
    fault_kind AS kind,
    regexp_replace(location, ':[0-9]+$', '') AS place,
    count(*) AS faults,
    count(*) FILTER (is_recovered) AS recovered,
    coalesce(list_sort(list(line) FILTER (line IS NOT NULL)), []) AS lines,
    arg_min(detail, (line, start_byte, event_id)) AS detail
FROM (
    SELECT *, try_cast(regexp_extract(location, ':([0-9]+)$', 1) AS BIGINT) AS line
    FROM fault
    ANTI JOIN withdrawn USING (event_id)
)
WHERE $kind IS NULL OR fault_kind = $kind
GROUP BY kind, place
ORDER BY kind, faults DESC, place
LIMIT $limit
