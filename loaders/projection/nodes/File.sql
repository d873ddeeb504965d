-- Purpose: one node a path that a commit or an indexed snapshot of a repository ever had.
-- Columns: id, repository, path, name, in_snapshot (it is in an indexed snapshot now), withdrawn (only commits that
--   left the repository have it), unresolved_references (of its code that lead nowhere), unresolved_reasons (how many
--   for which reason, the most frequent first); of several snapshots the one with the most counts
WITH present AS (
    SELECT DISTINCT e.repository_id, e.path
    FROM tree_entry AS e
    JOIN present_snapshot AS s USING (repository_id, tree_oid)
    WHERE e.entry_type <> 'submodule'
),
ever AS (
    SELECT repository_id, path FROM known_file
    UNION
    SELECT repository_id, path FROM file_change
    UNION
    SELECT repository_id, old_path FROM file_change WHERE old_path IS NOT NULL
),
gap AS (
    SELECT repository_id, path, sum(most)::BIGINT AS total,
        string_agg(most || ' ' || reason, ', ' ORDER BY most DESC, reason) AS reasons
    FROM (
        SELECT repository_id, path, reason, max(reference_count) AS most FROM code_gap
        GROUP BY repository_id, path, reason
    )
    GROUP BY repository_id, path
)
SELECT
    file_id(e.repository_id, e.path) AS id,
    e.repository_id AS repository,
    e.path,
    regexp_extract(e.path, '[^/]*$') AS name,
    p.path IS NOT NULL AS in_snapshot,
    k.path IS NULL AS withdrawn,
    coalesce(g.total, 0) AS unresolved_references,
    g.reasons AS unresolved_reasons
FROM ever AS e
LEFT JOIN present AS p USING (repository_id, path)
LEFT JOIN known_file AS k USING (repository_id, path)
LEFT JOIN gap AS g USING (repository_id, path)
