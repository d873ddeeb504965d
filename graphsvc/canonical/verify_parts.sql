-- Purpose: parts that do not lie inside of a segment, and documents whose parts are not numbered from 0.
-- Columns: parts (count of those that are right), finding (what is wrong with one that is not, else null)
WITH checked AS (
    SELECT p.document_id, p.ordinal,
        row_number() OVER (PARTITION BY p.document_id ORDER BY p.ordinal) - 1 AS expected,
        coalesce(0 <= p.start_byte AND p.start_byte <= p.end_byte AND p.end_byte <= s.byte_count, false) AS is_inside
    FROM part AS p
    LEFT JOIN segment AS s USING (segment)
)
SELECT count(*) AS parts, NULL AS finding FROM checked WHERE is_inside AND ordinal = expected
UNION ALL
SELECT 1, 'part ' || ordinal || ' of ' || document_id || ' lies outside of the segments' FROM checked WHERE NOT is_inside
UNION ALL
SELECT 1, 'a part of ' || document_id || ' is missing before part ' || ordinal
FROM checked WHERE is_inside AND ordinal <> expected
