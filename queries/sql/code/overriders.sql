-- Purpose: methods of the types that inherit from the type of a method, of the same name.
-- Parameters: ids (of methods)
-- Columns: depth (steps of inheritance), id, name, kind, path, start_line, is_test, origin, confidence, detail, segment,
--   start_byte, end_byte
WITH RECURSIVE heir(method, name, type, depth, confidence) USING KEY (method, type) AS (
    SELECT id, name, parent_id, 0, 1.0::DOUBLE FROM node WHERE list_contains($ids, id) AND parent_id IS NOT NULL
    UNION
    SELECT h.method, h.name, p.source, min(h.depth) + 1, max(h.confidence * p.confidence)
    FROM heir AS h
    JOIN pair AS p ON p.target = h.type AND p.kind = 'INHERITS'
    WHERE (h.method, p.source) NOT IN (SELECT (method, type) FROM recurring.heir)
    GROUP BY h.method, h.name, p.source
)
SELECT min(h.depth) AS depth, n.id, n.name, n.kind, n.path, n.start_line, n.is_test, 'inherited_member' AS origin,
    round(max(h.confidence), 4) AS confidence, 'of ' || any_value(o.name) AS detail, n.segment, n.start_byte, n.end_byte
FROM heir AS h
JOIN node AS n ON n.parent_id = h.type AND n.name = h.name
JOIN node AS o ON o.id = h.type
WHERE h.depth > 0
GROUP BY n.id, n.name, n.kind, n.path, n.start_line, n.is_test, n.segment, n.start_byte, n.end_byte
ORDER BY depth, confidence DESC, n.path, n.start_line, n.id
