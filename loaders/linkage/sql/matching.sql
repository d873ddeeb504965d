-- Purpose: for each telling line that a commit added, the tool call that wrote it.
-- Reads the temporary table lineage (repository_id, path, lineage: the first path of a file that was renamed).
-- Makes the temporary tables commit_time, line_rarity, written_place, and line_match (columns as of line_writer).

-- commit_time: when the changes of a commit were probably made (repository_id, commit_oid, authored_at, committed_at,
-- begun_at: author time of its first parent, is_bot).
CREATE TEMP TABLE commit_time AS
SELECT c.repository_id, c.oid AS commit_oid, c.authored_at, c.committed_at, k.authored_at AS begun_at,
    by_bot(c.author_name, c.author_email) AS is_bot
FROM present_commit AS c
LEFT JOIN commit_parent AS p ON p.repository_id = c.repository_id AND p.commit_oid = c.oid AND p.position = 0
LEFT JOIN present_commit AS k ON k.repository_id = p.repository_id AND k.oid = p.parent_oid;

-- line_rarity: in how many files a line was ever added (line_key, places), and how many calls wrote it (calls).
CREATE TEMP TABLE line_rarity AS
SELECT line_key, places, coalesce(calls, 0) AS calls
FROM (
    SELECT line_key, count(DISTINCT lineage) AS places
    FROM added_line JOIN lineage USING (repository_id, path)
    WHERE is_telling GROUP BY line_key
)
LEFT JOIN (
    SELECT line_key, count(DISTINCT (session_key, call_key)) AS calls FROM written_line WHERE is_telling GROUP BY line_key
) USING (line_key);

-- written_place: the repository's file that a call names (session_key, recorded, repository_id, path, lineage): the
-- longest known path that it ends with, because sessions run in other clones and worktrees.
CREATE TEMP TABLE written_place AS
WITH recorded AS (
    SELECT DISTINCT w.session_key, w.path AS recorded, '/' || replace(w.path, chr(92), '/') AS slashed, r.repository_id
    FROM written_line AS w
    JOIN session_repository AS r USING (session_key)
    WHERE w.path IS NOT NULL
),
known AS (
    SELECT repository_id, path, parse_filename(path) AS name, lineage FROM lineage
)
SELECT r.session_key, r.recorded, r.repository_id, k.path, k.lineage
FROM recorded AS r
JOIN known AS k ON k.repository_id = r.repository_id AND k.name = parse_filename(r.slashed)
    AND ends_with(r.slashed, '/' || k.path)
QUALIFY row_number() OVER (PARTITION BY r.session_key, r.recorded, r.repository_id ORDER BY length(k.path) DESC) = 1;

-- failed_call: calls that wrote nothing, whatever they meant to (session_key, call_key).
CREATE TEMP TABLE failed_call AS SELECT DISTINCT session_key, call_key FROM tool_result WHERE is_error;

-- writing: lines that calls wrote to files of repositories.
CREATE TEMP TABLE writing AS
SELECT p.repository_id, p.lineage, w.line_key, p.path AS written_path, w.session_key, w.call_key, w.is_new, w.is_edit,
    c.occurred_at
FROM written_line AS w
JOIN written_place AS p ON p.session_key = w.session_key AND p.recorded = w.path
JOIN written_call AS c ON c.session_key = w.session_key AND c.call_key = w.call_key
ANTI JOIN failed_call AS f ON f.session_key = w.session_key AND f.call_key = w.call_key
WHERE w.is_telling;

-- own_match: calls that wrote an added line to its own file, before the commit.
CREATE TEMP TABLE own_match AS
WITH telling AS (
    SELECT a.*, l.lineage, row_number() OVER (PARTITION BY repository_id, commit_oid, path ORDER BY line) AS place
    FROM added_line AS a
    JOIN lineage AS l USING (repository_id, path)
    WHERE a.is_telling
),
matched AS (
    SELECT t.repository_id, t.commit_oid, t.path, t.line, t.line_key, t.place, w.session_key, w.call_key,
        w.written_path = t.path AS is_same_path, w.is_new, w.is_edit, w.occurred_at,
        w.occurred_at >= coalesce(c.begun_at, w.occurred_at) - INTERVAL 5 MINUTE AS is_in_window
    FROM telling AS t
    JOIN commit_time AS c USING (repository_id, commit_oid)
    JOIN writing AS w
        ON w.repository_id = t.repository_id AND w.lineage = t.lineage AND w.line_key = t.line_key
        AND (w.occurred_at IS NULL OR w.occurred_at <= c.committed_at + INTERVAL 5 MINUTE)
    WHERE NOT c.is_bot
),
run AS (
    SELECT *, place - row_number() OVER (
        PARTITION BY repository_id, commit_oid, path, session_key, call_key ORDER BY place) AS island
    FROM matched
)
SELECT *, count(*) OVER (PARTITION BY repository_id, commit_oid, path, session_key, call_key, island) AS run_length
FROM run;

-- line_match: the best of them. Preferred is a call whose text has the line anew; then one that the lines around it
-- agree with, or whose line is rare; then one made since the parent commit; then the last edit, or where only whole
-- files were written, the first of them. Else a rare line that went to another file meanwhile: a guess.
CREATE TEMP TABLE line_match AS
WITH graded AS (
    SELECT m.*, r.places, (m.run_length >= 3 OR r.places = 1) AS is_supported
    FROM own_match AS m
    JOIN line_rarity AS r USING (line_key)
),
ranked AS (
    SELECT *, count(*) OVER rivals - 1 AS rivals,
        row_number() OVER (
            PARTITION BY repository_id, commit_oid, path, line
            ORDER BY is_new DESC, is_supported DESC, coalesce(is_in_window, false) DESC, is_edit DESC,
                CASE WHEN is_edit THEN -epoch_us(occurred_at) ELSE epoch_us(occurred_at) END NULLS LAST,
                session_key, call_key
        ) AS preference
    FROM graded
    WINDOW rivals AS (
        PARTITION BY repository_id, commit_oid, path, line, is_new, is_supported, coalesce(is_in_window, false)
    )
),
own AS (
    SELECT repository_id, commit_oid, path, line, line_key, places, session_key, call_key, 'written_text' AS origin,
        is_same_path, is_new, is_edit, is_supported, coalesce(is_in_window, false) AS is_in_window, run_length, rivals
    FROM ranked WHERE preference = 1
),
elsewhere AS (
    SELECT a.repository_id, a.commit_oid, a.path, a.line, a.line_key, r.places, w.session_key, w.call_key,
        'same_text_elsewhere' AS origin, false AS is_same_path, w.is_new, w.is_edit, false AS is_supported,
        true AS is_in_window, 1 AS run_length,
        count(*) OVER (PARTITION BY a.repository_id, a.commit_oid, a.path, a.line) - 1 AS rivals
    FROM added_line AS a
    ANTI JOIN own USING (repository_id, commit_oid, path, line)
    JOIN line_rarity AS r ON r.line_key = a.line_key AND r.places <= 2 AND r.calls BETWEEN 1 AND 3
    JOIN commit_time AS c ON c.repository_id = a.repository_id AND c.commit_oid = a.commit_oid AND NOT c.is_bot
    JOIN written_line AS w ON w.line_key = a.line_key AND w.is_new
    ANTI JOIN failed_call AS f ON f.session_key = w.session_key AND f.call_key = w.call_key
    JOIN session_repository AS s ON s.session_key = w.session_key AND s.repository_id = a.repository_id
    JOIN written_call AS k ON k.session_key = w.session_key AND k.call_key = w.call_key
    WHERE a.is_telling AND k.occurred_at <= c.committed_at + INTERVAL 5 MINUTE
        AND k.occurred_at >= coalesce(c.begun_at, k.occurred_at) - INTERVAL 5 MINUTE
    QUALIFY row_number() OVER (
        PARTITION BY a.repository_id, a.commit_oid, a.path, a.line ORDER BY k.occurred_at DESC, w.session_key, w.call_key
    ) = 1
)
SELECT * FROM own UNION ALL SELECT * FROM elsewhere;
