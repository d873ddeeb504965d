-- Purpose: the repository file that a session trusts to know.
-- Columns: source, target, origin (path_suffix: the longest known path that the one as read ends with), confidence,
--   is_changed (the file is another one in every indexed snapshot; null where the store does not have its bytes)
WITH name AS (
    SELECT DISTINCT path AS recorded, string_split(replace(path, chr(92), '/'), '/') AS names FROM present_read_scope
),
suffix AS (
    SELECT recorded, n, array_to_string(names[n:], '/') AS path
    FROM (SELECT recorded, names, unnest(range(1, len(names) + 1)) AS n FROM name)
),
match AS (
    SELECT s.recorded, k.repository_id, k.path
    FROM suffix AS s
    JOIN known_file AS k USING (path)
    QUALIFY s.n = min(s.n) OVER (PARTITION BY s.recorded)
),
shared AS (SELECT recorded, count(*) AS repositories FROM match GROUP BY recorded),
snapshot_file AS (
    SELECT e.repository_id, e.path, e.oid
    FROM tree_entry AS e
    SEMI JOIN present_snapshot AS s USING (repository_id, tree_oid)
),
content AS (
    SELECT f.repository_id, f.path, list(DISTINCT c.segment) AS segments
    FROM snapshot_file AS f
    JOIN source_file AS c ON c.repository_id = f.repository_id AND c.blob_oid = f.oid
    WHERE c.status IN ('parsed', 'partial', 'manifest')
    GROUP BY f.repository_id, f.path
)
SELECT
    read_scope_id(r.session_key, r.path, r.lines) AS source,
    file_id(m.repository_id, m.path) AS target,
    'path_suffix' AS origin,
    (0.9 / h.repositories)::DOUBLE AS confidence,
    NOT list_contains(c.segments, r.served_hash) AS is_changed
FROM present_read_scope AS r
JOIN match AS m ON m.recorded = r.path
JOIN shared AS h ON h.recorded = r.path
LEFT JOIN content AS c ON c.repository_id = m.repository_id AND c.path = m.path
