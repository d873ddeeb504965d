-- Purpose: code files that change often, are large and are relied on by many others.
-- Parameters: beginning (of paths), limit; table change (repository_id, path, commits, authors, last_changed_at)
-- Columns: path, commits, authors, lines, symbols, used_by (files that refer to its symbols or import it), unresolved
--   (references of it that lead nowhere), is_test, last_changed_at, score (commits times lines, in thousands); the
--   highest score first
WITH file AS (
    SELECT repository_id, path, max(line_count) AS lines FROM code_file
    WHERE status IN ('parsed', 'partial') AND starts_with(path, $beginning)
    GROUP BY repository_id, path
),
symbol_count AS (
    SELECT repository_id, path, count(DISTINCT symbol_id) AS symbols FROM code_symbol GROUP BY repository_id, path
),
reliance AS (
    SELECT t.repository_id, t.path, s.path AS by_path FROM pair AS p
    JOIN node AS t ON t.id = p.target
    JOIN node AS s ON s.id = p.source
    WHERE s.path <> t.path
    UNION
    SELECT repository_id, target_path, path FROM code_import WHERE path <> target_path
),
used AS (
    SELECT repository_id, path, count(*) AS used_by FROM reliance GROUP BY repository_id, path
),
gap AS (
    SELECT repository_id, path, sum(most)::BIGINT AS unresolved FROM (
        SELECT repository_id, path, reason, max(reference_count) AS most FROM code_gap
        GROUP BY repository_id, path, reason
    )
    GROUP BY repository_id, path
)
SELECT f.path, c.commits, c.authors, f.lines, coalesce(n.symbols, 0) AS symbols, coalesce(u.used_by, 0) AS used_by,
    coalesce(g.unresolved, 0) AS unresolved, is_test_path(f.path) AS is_test, c.last_changed_at,
    round(c.commits * f.lines / 1000.0, 1)::DOUBLE AS score
FROM file AS f
JOIN change AS c USING (repository_id, path)
LEFT JOIN symbol_count AS n USING (repository_id, path)
LEFT JOIN used AS u USING (repository_id, path)
LEFT JOIN gap AS g USING (repository_id, path)
ORDER BY c.commits * f.lines DESC, f.path
LIMIT $limit
