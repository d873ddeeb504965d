-- Purpose: what became of the telling lines that tool calls brought in.
-- Parameters: kind (session, turn or call), key
-- Columns: call, name, path, occurred_at, turn, lines, alive, changed, reverted, elsewhere, uncommitted, commits,
--   changed_by, is_error, segment, start_byte, end_byte (of the call)
WITH call AS (
    SELECT session_key, call_key, turn_id, position
    FROM call_turn
    WHERE CASE $kind WHEN 'session' THEN session_key WHEN 'turn' THEN turn_id ELSE call_key END = $key
),
written AS (
    SELECT w.session_key, w.call_key, w.path, w.line_key
    FROM written_line AS w
    SEMI JOIN call USING (session_key, call_key)
    WHERE w.is_telling AND w.is_new
),
committed AS (
    SELECT l.session_key, l.call_key, a.line_key, l.repository_id, l.commit_oid, l.path, l.line
    FROM line_writer AS l
    SEMI JOIN call USING (session_key, call_key)
    JOIN added_line AS a USING (repository_id, commit_oid, path, line)
    WHERE l.origin IN ('written_text', 'same_text_elsewhere')
),
mark AS (
    SELECT DISTINCT repository_id, origin_oid AS commit_oid, origin_path AS path, origin_line + i AS line
    FROM line_origin, LATERAL (SELECT unnest(range(line_count)) AS i)
    WHERE origin_oid IN (SELECT commit_oid FROM committed)
    UNION
    SELECT DISTINCT repository_id, last_oid, last_path, last_line + i
    FROM line_origin, LATERAL (SELECT unnest(range(line_count)) AS i)
    WHERE last_oid IN (SELECT commit_oid FROM committed)
),
gone AS (
    SELECT repository_id, commit_oid, path, first_line + i AS line, removed_oid
    FROM line_removal, LATERAL (SELECT unnest(range(line_count)) AS i)
    WHERE commit_oid IN (SELECT commit_oid FROM committed)
),
fate AS (
    SELECT c.session_key, c.call_key, c.line_key, bool_or(m.line IS NOT NULL) AS is_alive,
        bool_or(g.removed_oid IS NOT NULL) AS is_gone,
        bool_or(starts_with(r.title, 'Revert')) AS is_reverted,
        list(DISTINCT c.commit_oid) AS commits,
        list(DISTINCT substr(g.removed_oid, 1, 12) || ' ' || r.author_name) FILTER (g.removed_oid IS NOT NULL) AS removers
    FROM committed AS c
    LEFT JOIN mark AS m USING (repository_id, commit_oid, path, line)
    LEFT JOIN gone AS g USING (repository_id, commit_oid, path, line)
    LEFT JOIN present_commit AS r ON r.repository_id = g.repository_id AND r.oid = g.removed_oid
    GROUP BY c.session_key, c.call_key, c.line_key
),
counted AS (
    SELECT w.session_key, w.call_key, w.path, count(*) AS lines,
        count(*) FILTER (f.is_alive) AS alive,
        count(*) FILTER (f.is_gone AND NOT f.is_alive) AS changed,
        count(*) FILTER (f.is_gone AND NOT f.is_alive AND f.is_reverted) AS reverted,
        count(*) FILTER (f.line_key IS NOT NULL AND NOT f.is_gone AND NOT f.is_alive) AS elsewhere,
        count(*) FILTER (f.line_key IS NULL) AS uncommitted,
        list_distinct(flatten(list(f.commits))) AS commits,
        list_sort(list_distinct(flatten(list(f.removers) FILTER (NOT f.is_alive AND f.removers IS NOT NULL)))) AS changed_by
    FROM written AS w
    LEFT JOIN fate AS f USING (session_key, call_key, line_key)
    GROUP BY w.session_key, w.call_key, w.path
),
ordered AS (
    SELECT k.session_key, k.call_key, k.path, list(c.oid ORDER BY c.authored_at, c.oid) AS commits
    FROM (SELECT session_key, call_key, path, unnest(commits) AS oid FROM counted) AS k
    JOIN present_commit AS c USING (oid)
    GROUP BY k.session_key, k.call_key, k.path
)
SELECT k.call_key AS call, t.name, k.path, t.occurred_at, c.turn_id AS turn, k.lines, k.alive, k.changed, k.reverted,
    k.elsewhere, k.uncommitted, coalesce(o.commits, []) AS commits, coalesce(k.changed_by, []) AS changed_by,
    EXISTS (SELECT 1 FROM tool_result AS r
        WHERE r.session_key = k.session_key AND r.call_key = k.call_key AND r.is_error) AS is_error,
    t.segment, t.start_byte, t.end_byte
FROM counted AS k
JOIN call AS c USING (session_key, call_key)
JOIN (
    SELECT * FROM tool_call
    QUALIFY row_number() OVER (PARTITION BY session_key, call_key ORDER BY is_nested, seq) = 1
) AS t USING (session_key, call_key)
LEFT JOIN ordered AS o ON o.session_key = k.session_key AND o.call_key = k.call_key
    AND o.path IS NOT DISTINCT FROM k.path
ORDER BY c.position, t.start_byte, k.path
