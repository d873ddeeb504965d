-- Purpose: what a file defines, in source order.
-- Parameters: path
-- Columns: depth (0 at top level), kind, name, signature, start_line, end_line, is_exported, decorators, callers (how many
--   nodes refer to it), id, segment, start_byte, end_byte
WITH RECURSIVE member AS (
    SELECT DISTINCT repository_id, path, ordinal, symbol_id, parent_id, kind, name, signature, start_line, end_line,
        is_exported, decorators, segment, start_byte, end_byte
    FROM code_symbol
    WHERE path = $path AND kind <> 'lambda'
),
placed(repository_id, ordinal, symbol_id, depth) AS (
    SELECT repository_id, ordinal, symbol_id, 0 FROM member
    WHERE parent_id IS NULL OR parent_id NOT IN (SELECT symbol_id FROM member)
    UNION
    SELECT m.repository_id, m.ordinal, m.symbol_id, p.depth + 1
    FROM placed AS p
    JOIN member AS m ON m.repository_id = p.repository_id AND m.parent_id = p.symbol_id
    WHERE m.symbol_id <> p.symbol_id
)
SELECT min(p.depth) AS depth, m.kind, m.name, m.signature, m.start_line, m.end_line, m.is_exported, m.decorators,
    (SELECT count(DISTINCT source) FROM pair WHERE target = m.symbol_id) AS callers, m.symbol_id AS id, m.segment,
    m.start_byte, m.end_byte
FROM member AS m
JOIN placed AS p USING (repository_id, ordinal, symbol_id)
GROUP BY ALL
ORDER BY m.start_byte, m.end_byte DESC, m.start_line, m.symbol_id
