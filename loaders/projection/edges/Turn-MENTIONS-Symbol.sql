-- Purpose: symbols that a prompt or an answer of a turn names.
-- Columns: source, target, origin (qualified_name: with the type or package before it; name: alone), confidence (less for
--   each symbol that shares the name), is_typed (a person named it), withdrawn, segment, start_byte, end_byte (of the
--   first record that does)
-- A name that more than five symbols have names none of them, and a qualifier that is not the symbol's names another.
WITH named AS (
    SELECT DISTINCT repository_id, symbol_id, name,
        regexp_extract(descriptor, '([^#/.`]+)[#/.]`?[^#/.`]+`?(\([^)]*\))?[#.:/]*$', 1) AS owner,
        regexp_extract(package, '([^/.]+)(\.[a-z]+)?$', 1) AS module
    FROM named_symbol
    WHERE kind NOT IN ('lambda', 'section')
),
written AS (
    SELECT DISTINCT r.repository_id, w.word, regexp_extract(w.word, '[^.]+$') AS name,
        regexp_extract(w.word, '([^.]+)\.[^.]+$', 1) AS qualifier
    FROM turn_word AS w
    JOIN session_repository AS r USING (session_key)
    WHERE NOT contains(w.word, '/')
),
meant AS (
    SELECT w.repository_id, w.word, n.symbol_id, w.qualifier <> '' AS is_qualified,
        count(*) OVER (PARTITION BY w.repository_id, w.word) AS namesakes
    FROM written AS w
    JOIN named AS n USING (repository_id, name)
    WHERE w.qualifier IN ('', n.owner, n.module)
    QUALIFY namesakes <= 5
),
found AS (
    SELECT w.turn_id, m.symbol_id AS target,
        max(CASE WHEN m.is_qualified THEN 'qualified_name' ELSE 'name' END) AS origin,
        max(CASE WHEN m.is_qualified THEN 0.95 ELSE 0.9 END / m.namesakes)::DOUBLE AS confidence,
        bool_or(w.is_typed) AS is_typed, NOT bool_or(w.is_present) AS withdrawn, min(w.position) AS position
    FROM turn_word AS w
    JOIN session_repository AS r USING (session_key)
    JOIN meant AS m ON m.repository_id = r.repository_id AND m.word = w.word
    GROUP BY w.turn_id, m.symbol_id
)
SELECT f.turn_id AS source, f.target, f.origin, f.confidence, f.is_typed, f.withdrawn, p.segment, p.start_byte, p.end_byte
FROM found AS f
JOIN word_place AS p USING (turn_id, position)
