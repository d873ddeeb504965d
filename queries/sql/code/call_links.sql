-- Purpose: which symbol calls which, where that is sure.
-- Columns: source, target, name and target_name (qualified names), line (of the first call)
SELECT p.source, p.target, s.qualified_name AS name, t.qualified_name AS target_name,
    split_part(p.lines, ' ', 1)::BIGINT AS line
FROM pair AS p
JOIN node AS s ON s.id = p.source
JOIN node AS t ON t.id = p.target
WHERE p.kind = 'CALLS' AND p.confidence >= 0.9
ORDER BY name, target_name, p.source, p.target
