-- Purpose: a sample of events whose evidence lies in an object of the repository, with its place there.
-- Parameters: seed, count
-- Columns: kind, event_id, segment, start_byte, end_byte (in the segment), oid (object of the repository), place (first
--   byte in that object)
WITH object AS (
    SELECT p.segment, d.content_id AS oid,
        sum(p.end_byte - p.start_byte) OVER (PARTITION BY p.document_id ORDER BY p.ordinal)
            - p.end_byte AS segment_place
    FROM present_document AS d
    JOIN part AS p USING (document_id)
    UNION ALL
    SELECT DISTINCT segment, blob_oid, 0 FROM symbol
    UNION ALL
    SELECT segment, oid, 0 FROM "commit"
),
sample AS (
    SELECT kind, event_id, segment, start_byte, end_byte
    FROM event SEMI JOIN object USING (segment)
    ORDER BY md5(event_id || $seed), event_id LIMIT $count
)
SELECT s.kind, s.event_id, s.segment, s.start_byte, s.end_byte, arg_min(o.oid, (o.oid, o.segment_place)) AS oid,
    (s.start_byte + arg_min(o.segment_place, (o.oid, o.segment_place)))::BIGINT AS place
FROM sample AS s
JOIN object AS o USING (segment)
GROUP BY s.kind, s.event_id, s.segment, s.start_byte, s.end_byte
ORDER BY s.event_id
