-- Purpose: what is reached from some nodes, each at its least distance.
-- Parameters: starts (ids), direction (callers: against the references, callees: along them), kinds (of references),
--   depth (most references to follow), tests (none: do not enter tests), limit
-- Columns: depth, via (id of the node that it was reached from), of (qualified name of that), id, name, kind,
--   qualified_name, path, start_line, is_test, sites, lines, origin, confidence, segment, start_byte, end_byte (of the
--   surest reference); near before far, sure before unsure
WITH RECURSIVE link AS (
    SELECT p.target AS near, p.source AS far, p.* FROM pair AS p
    WHERE $direction = 'callers' AND list_contains($kinds, p.kind)
    UNION ALL
    SELECT p.source AS near, p.target AS far, p.* FROM pair AS p
    WHERE $direction = 'callees' AND list_contains($kinds, p.kind)
),
walk(id, depth) USING KEY (id) AS (
    SELECT unnest($starts) AS id, 0 AS depth
    UNION
    SELECT l.far, min(w.depth) + 1
    FROM walk AS w
    JOIN link AS l ON l.near = w.id
    JOIN node AS n ON n.id = l.far AND NOT ($tests = 'none' AND n.is_test)
    WHERE w.depth < $depth AND l.far NOT IN (SELECT id FROM recurring.walk)
    GROUP BY l.far
),
-- A start that refers to another start, or to itself, is one reference away too.
step AS (
    SELECT a.depth + 1 AS depth, l.*
    FROM walk AS a
    JOIN link AS l ON l.near = a.id
    JOIN walk AS b ON b.id = l.far
    WHERE a.depth < $depth AND (b.depth = a.depth + 1 OR a.depth = 0 AND b.depth = 0)
    QUALIFY row_number() OVER (
        PARTITION BY l.far, CASE WHEN a.depth = 0 THEN l.near END
        ORDER BY l.confidence DESC, l.rank, l.near, l.kind
    ) = 1
)
SELECT s.depth, s.near AS via, o.qualified_name AS "of", n.id, n.name, n.kind, n.qualified_name, n.path, n.start_line,
    n.is_test, s.sites, s.lines, s.origin, s.confidence, s.segment, s.start_byte, s.end_byte
FROM step AS s
JOIN node AS n ON n.id = s.far
JOIN node AS o ON o.id = s.near
ORDER BY s.depth, s.confidence DESC, n.is_test, n.path, n.start_line, n.id, o.qualified_name
LIMIT $limit
