-- Purpose: the life of a file, or of some lines of an indexed snapshot, the oldest first; a
--   prompt stands before the commit that it led to.
-- Parameters: repository, commit (the snapshot's), path, first, last, is_symbol, limit (commits)
-- Columns: occurred_at, event, subject, text, who, added, removed, origin, confidence, commit, segment, start_byte,
--   end_byte
WITH RECURSIVE name AS (
    SELECT $path AS path
    UNION
    SELECT c.old_path FROM name AS n
    JOIN changed_lines AS c ON c.repository_id = $repository AND c.path = n.path AND c.old_path <> c.path
),
mark AS (
    SELECT o.last_oid AS oid, o.last_path AS path, o.last_line + i AS line, o.first_line + i AS place
    FROM line_origin AS o, LATERAL (SELECT unnest(range(o.line_count)) AS i)
    WHERE o.repository_id = $repository AND o.commit_oid = $commit AND o.path = $path
    UNION
    SELECT o.origin_oid, o.origin_path, o.origin_line + i, o.first_line + i
    FROM line_origin AS o, LATERAL (SELECT unnest(range(o.line_count)) AS i)
    WHERE o.repository_id = $repository AND o.commit_oid = $commit AND o.path = $path
),
own AS (SELECT DISTINCT oid, path, line FROM mark WHERE place BETWEEN $first AND $last),
ancestor AS (
    SELECT $commit AS oid
    UNION
    SELECT p.parent_oid FROM ancestor AS a
    JOIN commit_parent AS p ON p.repository_id = $repository AND p.commit_oid = a.oid
),
change AS (
    SELECT c.commit_oid AS oid, sum(c.new_count)::BIGINT AS added, sum(c.old_count)::BIGINT AS removed
    FROM changed_lines AS c
    WHERE c.repository_id = $repository AND NOT $is_symbol
        AND (c.path IN (SELECT path FROM name) OR c.path IS NULL AND c.old_path IN (SELECT path FROM name))
        AND c.commit_oid IN (SELECT oid FROM ancestor)
        AND (SELECT count(*) FROM commit_parent AS p
            WHERE p.repository_id = $repository AND p.commit_oid = c.commit_oid) < 2
    GROUP BY c.commit_oid
    UNION ALL
    SELECT oid, count(*), NULL FROM own WHERE $is_symbol GROUP BY oid
),
told AS (
    SELECT c.oid, h.added, h.removed, c.title, c.author_name, c.authored_at, c.segment, c.start_byte, c.end_byte
    FROM change AS h
    JOIN present_commit AS c ON c.repository_id = $repository AND c.oid = h.oid
    QUALIFY row_number() OVER (ORDER BY c.authored_at DESC, c.oid) <= $limit
),
wrote AS (
    SELECT w.commit_oid AS oid, t.turn_id, w.session_key, count(*) AS lines, max(w.confidence) AS confidence,
        max(w.origin) AS origin
    FROM line_writer AS w
    JOIN call_turn AS t USING (session_key, call_key)
    WHERE w.repository_id = $repository AND w.commit_oid IN (SELECT oid FROM told) AND t.turn_id IS NOT NULL
        AND w.confidence >= 500
        AND CASE WHEN $is_symbol THEN (w.commit_oid, w.path, w.line) IN (SELECT (oid, path, line) FROM own)
            ELSE w.path IN (SELECT path FROM name) END
    GROUP BY w.commit_oid, t.turn_id, w.session_key
),
said AS (
    SELECT turn_id, prompt, occurred_at, segment, start_byte, end_byte
    FROM turn_start
    WHERE session_key IN (SELECT session_key FROM wrote)
)
SELECT occurred_at, event, subject, text, who, added, removed, origin, confidence, "commit", segment, start_byte, end_byte
FROM (
    SELECT authored_at AS occurred_at, authored_at AS told_at, 1 AS part, 'commit' AS event, oid AS subject, title AS text, author_name AS who, added,
        removed, 'history' AS origin, 1.0::DOUBLE AS confidence, oid AS "commit", segment, start_byte, end_byte
    FROM told
    UNION ALL
    SELECT s.occurred_at, t.authored_at, 0, 'prompt', w.turn_id, s.prompt,
        coalesce((SELECT min(c.agent) FROM checkpoint_session AS c WHERE c.session_key = w.session_key), 'agent'),
        w.lines, NULL, w.origin, w.confidence / 1000.0, w.oid, s.segment, s.start_byte, s.end_byte
    FROM wrote AS w JOIN said AS s USING (turn_id) JOIN told AS t ON t.oid = w.oid
    UNION ALL
    SELECT f.occurred_at, f.occurred_at, 2, 'fact', f.fact_id, f.content, f.told_by, NULL, NULL, 'anchor', 1.0, NULL, f.segment,
        f.start_byte, f.end_byte
    FROM fact AS f
    JOIN fact_anchor AS a USING (fact_id)
    WHERE a.anchor_kind = 'file' AND a.anchor_id = file_id($repository, $path)
)
ORDER BY told_at NULLS FIRST, "commit", part, occurred_at, subject
