-- Purpose: functions, methods and types that nothing outside of them refers to.
-- Parameters: beginning (of paths), limit
-- Columns: confidence, id, name, kind, qualified_name, path, start_line, end_line, is_exported, doubt (why it may be used
--   all the same), segment, start_byte, end_byte; sure before unsure, long before short
-- What a runtime calls by its name is left out, and so are tests, which their runner calls.
WITH RECURSIVE inside(id, ancestor) AS (
    SELECT id, parent_id FROM node WHERE parent_id IS NOT NULL
    UNION
    SELECT i.id, n.parent_id FROM inside AS i JOIN node AS n ON n.id = i.ancestor WHERE n.parent_id IS NOT NULL
),
used AS (
    SELECT DISTINCT p.target AS id FROM pair AS p
    WHERE p.source <> p.target
        AND NOT EXISTS (SELECT 1 FROM inside AS i WHERE i.id = p.source AND i.ancestor = p.target)
),
-- A type is in use where a member of it is.
held AS (
    SELECT DISTINCT i.ancestor AS id FROM inside AS i SEMI JOIN used USING (id)
),
unresolved AS (
    SELECT DISTINCT repository_id, name FROM code_unresolved
),
declared AS (
    SELECT DISTINCT n.repository_id, n.name FROM node AS n
    JOIN node AS o ON o.id = n.parent_id AND o.kind IN ('interface', 'trait')
),
inheriting AS (
    SELECT DISTINCT source AS id FROM pair WHERE kind = 'INHERITS'
),
candidate AS (
    SELECT n.*,
        CASE
            WHEN len(n.decorators) > 0 THEN 'its decorator may register it'
            WHEN u.name IS NOT NULL THEN 'calls by that name lead nowhere'
            WHEN d.name IS NOT NULL AND n.kind = 'method' THEN 'an interface has a method of that name'
            -- A base outside of the snapshot is known by how the type's head is written.
            WHEN n.parent_id IN (SELECT id FROM inheriting)
                OR regexp_matches(o.signature, '[(:]\s*\w|\b(extends|implements)\b')
            THEN 'what its type inherits from may call it'
            WHEN n.is_exported THEN 'other code may import it'
            -- Where names that stand for values are not references (docs/resolution.md).
            WHEN n.kind IN ('function', 'method') AND n.language <> 'python' THEN 'it may be passed on as a value'
        END AS doubt
    FROM node AS n
    ANTI JOIN used USING (id)
    ANTI JOIN held USING (id)
    LEFT JOIN unresolved AS u ON u.repository_id = n.repository_id AND u.name = n.name
    LEFT JOIN declared AS d ON d.repository_id = n.repository_id AND d.name = n.name
    LEFT JOIN node AS o ON o.id = n.parent_id
    WHERE n.kind IN ('function', 'method', 'class', 'struct', 'interface', 'trait', 'enum', 'type', 'type_alias', 'union')
        AND NOT n.is_test
        AND n.name NOT IN ('', 'main', 'init')
        AND NOT regexp_full_match(n.name, '__\w+__')
        AND coalesce(o.kind, '') NOT IN ('interface', 'trait')
        AND starts_with(n.path, $beginning)
)
SELECT
    CASE
        WHEN doubt IS NULL THEN 0.9
        WHEN doubt IN ('other code may import it', 'it may be passed on as a value') THEN 0.6
        ELSE 0.3
    END::DOUBLE AS confidence,
    id, name, kind, qualified_name, path, start_line, end_line, is_exported, doubt, segment, start_byte, end_byte
FROM candidate
ORDER BY confidence DESC, end_line - start_line DESC, path, start_line, id
LIMIT $limit
