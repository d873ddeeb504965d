-- Purpose: how the passages are divided into shards, from their contents alone.
-- Parameters: size (bytes of evidence that a shard has on average)
-- Columns: unit, shard (number), digest (of the unit's passages), byte_count (of their evidence)
-- A unit is a session, a file's path with its symbols, or else one passage. Units stand in an order, and a unit ends
-- its shard by chance, the likelier the larger it is: so a unit that comes, goes or changes touches its own shard,
-- at most the next one besides, and never those after.
WITH unit AS (
    SELECT
        unit,
        bool_or(is_code) AS is_code,
        min(occurred_at) FILTER (NOT is_code) AS began_at,
        sum(end_byte - start_byte) AS byte_count,
        sha256(string_agg(digest, '' ORDER BY digest)) AS digest
    FROM (
        SELECT
            p.unit,
            p.session IS NULL AND p.path IS NOT NULL AS is_code,
            p.occurred_at,
            p.start_byte,
            p.end_byte,
            md5(p::VARCHAR) AS digest
        FROM passage AS p
    )
    GROUP BY unit
)
SELECT
    unit,
    coalesce(sum(
        (('0x' || left(md5(unit), 8))::UBIGINT % $size < byte_count)::BIGINT
    ) OVER (ORDER BY is_code, began_at NULLS LAST, unit ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::BIGINT AS shard,
    digest,
    byte_count::BIGINT AS byte_count
FROM unit
ORDER BY is_code, began_at NULLS LAST, unit
