-- Purpose: events whose evidence does not lie inside of a segment.
-- Columns: events (count of those that do), finding (what is wrong with one that does not, else null)
WITH span AS (
    SELECT e.kind, e.event_id,
        (e.kind = 'fault' AND e.segment IS NULL)
            OR coalesce(0 <= e.start_byte AND e.start_byte <= e.end_byte AND e.end_byte <= s.byte_count, false)
            AS is_inside
    FROM event AS e
    LEFT JOIN segment AS s USING (segment)
)
SELECT count(*) AS events, NULL AS finding FROM span WHERE is_inside
UNION ALL
SELECT 1, 'the evidence of ' || kind || ' ' || event_id || ' lies outside of the segments' FROM span WHERE NOT is_inside
