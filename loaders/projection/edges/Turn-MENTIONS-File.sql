-- Purpose: files that a prompt or an answer of a turn names.
-- Columns: source, target, origin (path: as it is in the repository; path_suffix: the longest known path that a longer
--   one ends with; path_end: the end of one known path only; file_name: the name of one known file only), confidence,
--   is_typed (a person named it), withdrawn, segment, start_byte, end_byte (of the first record that does)
-- Of several files with the same end of a path, one in an indexed snapshot counts if it is the only one there.
WITH written AS (
    SELECT DISTINCT r.repository_id, w.word, string_split(w.word, '/') AS names
    FROM turn_word AS w
    JOIN session_repository AS r USING (session_key)
    WHERE w.is_marked OR regexp_matches(w.word, '[./]')
),
longer AS (
    SELECT w.repository_id, w.word, k.path, len(w.names) - w.first + 1 AS depth
    FROM (SELECT *, unnest(range(1, len(names) + 1)) AS first FROM written) AS w
    JOIN known_file AS k ON k.repository_id = w.repository_id
        AND k.path = array_to_string(list_slice(w.names, w.first, len(w.names)), '/')
),
ending AS (
    SELECT k.repository_id, k.path, s.path IS NOT NULL AS in_snapshot,
        array_to_string(list_slice(k.names, k.first, len(k.names)), '/') AS word
    FROM (
        SELECT repository_id, path, string_split(path, '/') AS names,
            unnest(range(2, len(string_split(path, '/')) + 1)) AS first
        FROM known_file
    ) AS k
    LEFT JOIN indexed_path AS s USING (repository_id, path)
),
shorter AS (
    SELECT repository_id, word,
        CASE WHEN count(DISTINCT path) FILTER (in_snapshot) = 1 THEN min(path) FILTER (in_snapshot)
            WHEN count(DISTINCT path) = 1 THEN min(path) END AS path
    FROM ending SEMI JOIN written USING (repository_id, word)
    GROUP BY repository_id, word
),
candidate AS (
    SELECT repository_id, word, path, CASE WHEN word = path THEN 'path' ELSE 'path_suffix' END AS origin,
        CASE WHEN word = path THEN 1.0 WHEN depth > 1 THEN 0.9 ELSE 0.5 END::DOUBLE AS confidence
    FROM longer
    UNION ALL
    SELECT repository_id, word, path, CASE WHEN contains(word, '/') THEN 'path_end' ELSE 'file_name' END,
        CASE WHEN contains(word, '/') THEN 0.9 ELSE 0.7 END::DOUBLE
    FROM shorter WHERE path IS NOT NULL
),
meant AS (
    SELECT * FROM candidate
    QUALIFY row_number() OVER (PARTITION BY repository_id, word ORDER BY confidence DESC, len(path) DESC, path) = 1
),
found AS (
    SELECT w.turn_id, file_id(m.repository_id, m.path) AS target,
        arg_max(m.origin, (m.confidence, m.origin)) AS origin,
        max(m.confidence) AS confidence,
        bool_or(w.is_typed) AS is_typed, NOT bool_or(w.is_present) AS withdrawn, min(w.position) AS position
    FROM turn_word AS w
    JOIN session_repository AS r USING (session_key)
    JOIN meant AS m ON m.repository_id = r.repository_id AND m.word = w.word
    GROUP BY w.turn_id, m.repository_id, m.path
)
SELECT f.turn_id AS source, f.target, f.origin, f.confidence, f.is_typed, f.withdrawn, p.segment, p.start_byte, p.end_byte
FROM found AS f
JOIN word_place AS p USING (turn_id, position)
