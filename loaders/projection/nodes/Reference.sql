-- Purpose: one node a reference that was ever seen; withdrawn ones point nowhere any more.
-- Columns: id, repository, name, kind, withdrawn
SELECT
    reference_id(r.repository_id, r.name) AS id,
    min(r.repository_id) AS repository,
    min(r.name) AS name,
    min(r.reference_kind) AS kind,
    count(p.event_id) = 0 AS withdrawn
FROM reference AS r
LEFT JOIN present_reference AS p USING (event_id)
GROUP BY reference_id(r.repository_id, r.name)
