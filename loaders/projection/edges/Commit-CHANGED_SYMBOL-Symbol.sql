-- Purpose: symbols of an indexed snapshot that a commit changed, under whatever name and in whatever file then; only of
--   repositories whose symbols are tracked.
-- Columns: source, target, change (the first by name, where a commit did several things to it), name and path (then),
--   origin, confidence, segment, start_byte, end_byte (of the file's change)
WITH RECURSIVE lineage(symbol_id, repository_id, path, descriptor, disambiguator, until)
    USING KEY (symbol_id, repository_id, path, descriptor, disambiguator) AS (
    SELECT DISTINCT symbol_id, repository_id, path, descriptor, disambiguator, 'infinity'::TIMESTAMP FROM named_symbol
    UNION
    SELECT l.symbol_id, s.repository_id, s.old_path, s.old_descriptor, s.old_disambiguator, max(s.committed_at)
    FROM lineage AS l
    JOIN present_symbol_change AS s USING (repository_id, path, descriptor, disambiguator)
    WHERE s.old_path IS NOT NULL AND s.committed_at <= l.until
        AND (l.symbol_id, s.repository_id, s.old_path, s.old_descriptor, s.old_disambiguator) NOT IN
            (SELECT (symbol_id, repository_id, path, descriptor, disambiguator) FROM recurring.lineage)
    GROUP BY l.symbol_id, s.repository_id, s.old_path, s.old_descriptor, s.old_disambiguator
)
SELECT
    commit_id(s.repository_id, s.commit_oid) AS source,
    l.symbol_id AS target,
    min(s.change) AS change,
    arg_min(s.name, (s.change, s.path, s.descriptor)) AS name,
    arg_min(s.path, (s.change, s.path, s.descriptor)) AS path,
    coalesce(arg_min(s.origin, (s.change, s.path, s.descriptor)), 'text') AS origin,
    coalesce(arg_min(s.confidence, (s.change, s.path, s.descriptor)), 1.0)::DOUBLE AS confidence,
    arg_min(s.segment, (s.change, s.path, s.descriptor)) AS segment,
    arg_min(s.start_byte, (s.change, s.path, s.descriptor)) AS start_byte,
    arg_min(s.end_byte, (s.change, s.path, s.descriptor)) AS end_byte
FROM lineage AS l
JOIN present_symbol_change AS s USING (repository_id, path, descriptor, disambiguator)
WHERE s.committed_at <= l.until
GROUP BY s.repository_id, s.commit_oid, l.symbol_id
