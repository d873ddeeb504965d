-- Purpose: what commits did to symbols, the newest first, back through renames and moves.
-- Parameters: repositories, paths, descriptors, disambiguators (where the symbols are, or were last), limit
-- Columns: commit, committed_at, author, title, change, name, path, start_line, old_name, old_path, is_signature_changed,
--   is_text_changed, origin, confidence, checkpoints, sessions, segment, start_byte, end_byte
WITH RECURSIVE lineage(repository_id, path, descriptor, disambiguator, until)
    USING KEY (repository_id, path, descriptor, disambiguator) AS (
    SELECT unnest($repositories), unnest($paths), unnest($descriptors), unnest($disambiguators), 'infinity'::TIMESTAMP
    UNION
    SELECT s.repository_id, s.old_path, s.old_descriptor, s.old_disambiguator, max(s.committed_at)
    FROM lineage AS l
    JOIN present_symbol_change AS s USING (repository_id, path, descriptor, disambiguator)
    WHERE s.old_path IS NOT NULL AND s.committed_at <= l.until
        AND (s.repository_id, s.old_path, s.old_descriptor, s.old_disambiguator) NOT IN
            (SELECT (repository_id, path, descriptor, disambiguator) FROM recurring.lineage)
    GROUP BY s.repository_id, s.old_path, s.old_descriptor, s.old_disambiguator
),
produced AS (
    SELECT t.repository_id, t.commit_oid, list(DISTINCT t.value ORDER BY t.value) AS checkpoints,
        list(DISTINCT s.session_key ORDER BY s.session_key) FILTER (s.session_key IS NOT NULL) AS sessions
    FROM checkpoint_trailer AS t
    LEFT JOIN present_checkpoint_session AS s
        ON s.repository_id = t.repository_id AND s.checkpoint_key = t.value
    GROUP BY t.repository_id, t.commit_oid
)
SELECT s.commit_oid AS commit, s.committed_at, c.author_name AS author, c.title, s.change, s.name, s.path, s.start_line,
    s.old_name, s.old_path, s.is_signature_changed, s.is_text_changed, s.origin, s.confidence, p.checkpoints, p.sessions,
    s.segment, s.start_byte, s.end_byte
FROM present_symbol_change AS s
JOIN lineage AS l USING (repository_id, path, descriptor, disambiguator)
JOIN present_commit AS c ON c.repository_id = s.repository_id AND c.oid = s.commit_oid
LEFT JOIN produced AS p ON p.repository_id = s.repository_id AND p.commit_oid = s.commit_oid
WHERE s.committed_at <= l.until
ORDER BY s.committed_at DESC, s.commit_oid, s.path, s.descriptor, s.change
LIMIT $limit
