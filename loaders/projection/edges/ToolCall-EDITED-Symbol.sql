-- Purpose: symbols whose span an edit of a tool call fell in, at the snapshot that it edited.
-- Columns: source, target, origin (path: in the same file; directory: since moved to another file of that directory),
--   confidence, is_innermost (no other symbol inside of it was edited), withdrawn, segment, start_byte, end_byte (of the
--   record with the answer)
-- A symbol that is in no indexed snapshot any more is a gap. There are rows only once edits are traced.
WITH named AS (
    SELECT repository_id, path, regexp_replace(path, '[^/]*$', '') AS directory, language, descriptor, symbol_id,
        count(*) OVER (PARTITION BY repository_id, path, language, descriptor) AS namesakes
    FROM named_symbol
),
moved AS (
    SELECT repository_id, directory, language, descriptor, min(symbol_id) AS symbol_id
    FROM named
    GROUP BY repository_id, directory, language, descriptor
    HAVING count(DISTINCT symbol_id) = 1
),
found AS (
    SELECT p.*, CASE WHEN n.symbol_id IS NULL THEN 'directory' ELSE 'path' END AS origin,
        coalesce(n.symbol_id, m.symbol_id, 'unknown ' || p.path || ' ' || p.descriptor) AS target,
        p.confidence * CASE WHEN n.symbol_id IS NULL THEN 0.8 ELSE 1.0 / n.namesakes END AS sureness
    FROM edited_place AS p
    LEFT JOIN named AS n USING (repository_id, path, language, descriptor)
    LEFT JOIN moved AS m ON m.repository_id = p.repository_id AND m.language = p.language
        AND m.descriptor = p.descriptor AND m.directory = regexp_replace(p.path, '[^/]*$', '')
)
SELECT
    tool_call_id(session_key, call_key) AS source,
    target,
    max(origin) AS origin,
    max(sureness)::DOUBLE AS confidence,
    bool_or(is_innermost) AS is_innermost,
    NOT bool_or(is_present) AS withdrawn,
    arg_min(segment, (NOT is_present, segment, start_byte)) AS segment,
    arg_min(start_byte, (NOT is_present, segment, start_byte)) AS start_byte,
    arg_min(end_byte, (NOT is_present, segment, start_byte)) AS end_byte
FROM found
GROUP BY session_key, call_key, target
