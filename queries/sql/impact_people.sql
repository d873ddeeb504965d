-- Purpose: who last worked on some files: people by their commits, and the sessions that checkpoints name for these.
-- Parameters: repositories, paths (of the files), commits (to look at instead of those that changed the files; or null),
--   origin
-- Columns: relation (person or session), depth, id, name, kind, path, start_line, is_test, origin, confidence, detail,
--   segment, start_byte, end_byte (of the newest commit); the latest first
WITH touching AS (
    SELECT DISTINCT f.repository_id, f.commit_oid, f.path
    FROM present_file_change AS f
    JOIN (SELECT DISTINCT unnest($repositories) AS repository_id, unnest($paths) AS path) USING (repository_id, path)
    WHERE $commits::VARCHAR[] IS NULL AND NOT f.is_merge
    UNION ALL
    SELECT repository_id, oid, NULL FROM present_commit
    WHERE list_contains($commits, oid) AND list_contains($repositories, repository_id)
),
touched AS (
    SELECT t.path, c.* FROM touching AS t
    JOIN present_commit AS c ON c.repository_id = t.repository_id AND c.oid = t.commit_oid
),
person AS (
    SELECT 'person' AS relation, author_email AS id, arg_max(author_name, (committed_at, oid)) AS name, author_email AS key,
        max(committed_at) AS last_at, count(DISTINCT oid) AS commits, arg_max(path, (committed_at, oid)) AS path,
        arg_max(oid, (committed_at, oid)) AS oid, arg_max(title, (committed_at, oid)) AS title, 1.0::DOUBLE AS confidence,
        arg_max(segment, (committed_at, oid)) AS segment, arg_max(start_byte, (committed_at, oid)) AS start_byte,
        arg_max(end_byte, (committed_at, oid)) AS end_byte
    FROM touched
    GROUP BY author_email
),
shared AS (
    SELECT *, count(*) OVER (PARTITION BY repository_id, checkpoint_key) AS sessions FROM captured WHERE is_present
),
session AS (
    SELECT 'session' AS relation, session_id(s.session_key) AS id, s.session_key AS name, s.session_key AS key,
        max(t.committed_at) AS last_at, count(DISTINCT t.oid) AS commits, arg_max(t.path, (t.committed_at, t.oid)) AS path,
        arg_max(t.oid, (t.committed_at, t.oid)) AS oid, arg_max(t.title, (t.committed_at, t.oid)) AS title,
        round(max(1.0 / s.sessions), 4)::DOUBLE AS confidence, arg_max(l.segment, (t.committed_at, t.oid)) AS segment,
        arg_max(l.start_byte, (t.committed_at, t.oid)) AS start_byte, arg_max(l.end_byte, (t.committed_at, t.oid)) AS end_byte
    FROM touched AS t
    JOIN checkpoint_trailer AS l ON l.repository_id = t.repository_id AND l.commit_oid = t.oid
    JOIN shared AS s ON s.repository_id = l.repository_id AND s.checkpoint_key = l.value
    GROUP BY s.session_key
)
SELECT relation, 1 AS depth, id, name, relation AS kind, path, NULL::BIGINT AS start_line, false AS is_test,
    CASE relation WHEN 'session' THEN 'checkpoint' ELSE $origin END AS origin, confidence,
    strftime(last_at, '%Y-%m-%d') || ' ' || left(oid, 12) || ' ' || title || CASE WHEN commits > 1
        THEN ' (and ' || (commits - 1) || ' before)' ELSE '' END AS detail,
    segment, start_byte, end_byte
FROM (FROM person UNION ALL FROM session)
ORDER BY relation, last_at DESC, key
