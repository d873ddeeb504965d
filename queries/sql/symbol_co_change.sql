-- Purpose: symbols that changed in the same commits as some symbols; commits that changed more than 60 are left out.
-- Parameters: repositories, paths, descriptors, disambiguators (where the symbols are)
-- Columns: depth, id (null: the column is for other relations), name, kind, path, start_line (when it changed last),
--   is_test, origin, confidence (support over the commits that changed the symbols asked about), detail, segment,
--   start_byte, end_byte (of the last change)
WITH change AS (
    SELECT * FROM present_symbol_change WHERE change <> 'removed' AND symbol_kind <> 'section'
),
small AS (
    SELECT repository_id, commit_oid FROM change GROUP BY repository_id, commit_oid HAVING count(*) <= 60
),
own AS (
    SELECT DISTINCT repository_id, path, descriptor, disambiguator FROM (
        SELECT unnest($repositories) AS repository_id, unnest($paths) AS path, unnest($descriptors) AS descriptor,
            unnest($disambiguators) AS disambiguator
    )
),
own_commit AS (
    SELECT DISTINCT c.repository_id, c.commit_oid FROM change AS c
    SEMI JOIN small USING (repository_id, commit_oid)
    SEMI JOIN own USING (repository_id, path, descriptor, disambiguator)
)
SELECT 1 AS depth, NULL::VARCHAR AS id, arg_max(c.name, c.committed_at) AS name,
    arg_max(c.symbol_kind, c.committed_at) AS kind, c.path, arg_max(c.start_line, c.committed_at) AS start_line,
    is_test_path(c.path) AS is_test, 'co_change' AS origin,
    round(count(DISTINCT c.commit_oid) / (SELECT count(*) FROM own_commit), 4)::DOUBLE AS confidence,
    count(DISTINCT c.commit_oid) || ' of ' || (SELECT count(*) FROM own_commit) || ' commits' AS detail,
    arg_max(c.segment, c.committed_at) AS segment, arg_max(c.start_byte, c.committed_at) AS start_byte,
    arg_max(c.end_byte, c.committed_at) AS end_byte
FROM change AS c
JOIN own_commit USING (repository_id, commit_oid)
ANTI JOIN own USING (repository_id, path, descriptor, disambiguator)
GROUP BY c.repository_id, c.path, c.descriptor, c.disambiguator
HAVING count(DISTINCT c.commit_oid) >= 3
ORDER BY confidence DESC, c.path, c.descriptor, c.disambiguator
