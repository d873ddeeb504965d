-- Purpose: what a name means.
-- Parameters: name, last (its last part, for symbols), repository (name of the source, null for all), kinds (of which)
-- Columns: kind, key, repository_id, commit (indexed), locator, path, first_line, last_line
WITH place AS (
    SELECT s.repository_id, s.commit_oid, s.tree_oid, r.locator
    FROM present_snapshot AS s
    JOIN source AS r ON r.loader = 'git' AND r.options->>'repository_id' = s.repository_id
    WHERE $repository IS NULL OR r.name = $repository
    QUALIFY row_number() OVER (PARTITION BY s.repository_id ORDER BY s.reference <> 'HEAD', s.reference) = 1
),
file AS (
    SELECT 'file' AS kind, e.path AS key, p.repository_id, p.commit_oid, p.locator, e.path, 1 AS first_line,
        NULL::BIGINT AS last_line
    FROM tree_entry AS e
    JOIN place AS p USING (repository_id, tree_oid)
    WHERE list_contains($kinds, 'file') AND e.path = $name AND e.entry_type <> 'submodule'
),
symbols AS (
    SELECT 'symbol' AS kind, y.descriptor AS key, p.repository_id, p.commit_oid, p.locator, e.path,
        min(y.start_line) AS first_line, max(y.end_line) AS last_line
    FROM symbol AS y
    JOIN tree_entry AS e ON e.repository_id = y.repository_id AND e.oid = y.blob_oid
    JOIN place AS p ON p.repository_id = e.repository_id AND p.tree_oid = e.tree_oid
    WHERE list_contains($kinds, 'symbol') AND y.name = $last
    GROUP BY y.descriptor, y.overload, p.repository_id, p.commit_oid, p.locator, e.path
),
commits AS (
    SELECT 'commit' AS kind, oid AS key, repository_id
    FROM "commit"
    WHERE list_contains($kinds, 'commit') AND length($name) >= 6 AND starts_with(oid, lower($name))
    GROUP BY oid, repository_id
),
checkpoints AS (
    SELECT 'checkpoint' AS kind, key, min(repository_id) AS repository_id
    FROM (
        SELECT checkpoint_key AS key, repository_id FROM checkpoint_session
        UNION ALL
        SELECT value, repository_id FROM checkpoint_trailer
    )
    WHERE list_contains($kinds, 'checkpoint') AND length($name) >= 6 AND starts_with(key, $name)
    GROUP BY key
),
facts AS (
    SELECT DISTINCT 'fact' AS kind, fact_id AS key
    FROM fact
    WHERE list_contains($kinds, 'fact') AND length($name) >= 6 AND starts_with(fact_id, $name)
)
SELECT kind, key, repository_id, commit_oid AS "commit", locator, path, first_line, last_line FROM file
UNION ALL
SELECT kind, key, repository_id, commit_oid, locator, path, first_line, last_line FROM symbols
    WHERE NOT EXISTS (SELECT 1 FROM file)
UNION ALL SELECT kind, key, repository_id, NULL, NULL, NULL, NULL, NULL FROM commits
UNION ALL SELECT kind, key, repository_id, NULL, NULL, NULL, NULL, NULL FROM checkpoints
UNION ALL SELECT kind, key, NULL, NULL, NULL, NULL, NULL, NULL FROM facts
ORDER BY kind, key, path
