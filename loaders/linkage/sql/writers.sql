-- Purpose: the call that wrote each added line, now that it is known which sessions the commits come from.
-- Reads the temporary tables of matching.sql and commit_link (repository_id, commit_oid, session_key, confidence).
-- Columns: those of line_writer.
-- Preferred is a call whose text has the line anew; then one of a session that the commit is linked to; then as for
-- line_match. A line that says nothing by itself goes with the lines around it; one that says something else than
-- the call wrote, between lines of one call, was altered after it.
WITH linked AS (
    SELECT repository_id, commit_oid, session_key, true AS is_linked FROM commit_link WHERE confidence >= $linked
),
ranked AS (
    SELECT m.*, coalesce(l.is_linked, false) AS is_linked,
        (m.run_length >= 3 OR r.places = 1) AS is_supported,
        row_number() OVER best AS preference,
        count(*) OVER (
            PARTITION BY m.repository_id, m.commit_oid, m.path, m.line, m.is_new, coalesce(l.is_linked, false)
        ) - 1 AS rivals
    FROM own_match AS m
    JOIN line_rarity AS r USING (line_key)
    LEFT JOIN linked AS l USING (repository_id, commit_oid, session_key)
    WINDOW best AS (
        PARTITION BY m.repository_id, m.commit_oid, m.path, m.line
        ORDER BY m.is_new DESC, coalesce(l.is_linked, false) DESC, (m.run_length >= 3 OR r.places = 1) DESC,
            coalesce(m.is_in_window, false) DESC, m.is_edit DESC,
            CASE WHEN m.is_edit THEN -epoch_us(m.occurred_at) ELSE epoch_us(m.occurred_at) END NULLS LAST,
            m.session_key, m.call_key
    )
),
own AS (
    SELECT repository_id, commit_oid, path, line, session_key, call_key, 'written_text' AS origin,
        (CASE WHEN NOT is_new THEN 550 WHEN NOT is_supported THEN 800 ELSE 970 END
            * CASE WHEN is_linked THEN 1.0 WHEN coalesce(is_in_window, false) THEN 0.8 ELSE 0.5 END
            * CASE WHEN is_same_path THEN 1.0 ELSE 0.95 END
            * (1 - 0.04 * least(rivals, 5)))::BIGINT AS confidence,
        rivals
    FROM ranked
    -- A call that only kept a line says nothing of a commit that another session or a person made.
    WHERE preference = 1 AND (is_new OR is_linked)
),
elsewhere AS (
    SELECT m.repository_id, m.commit_oid, m.path, m.line, m.session_key, m.call_key, m.origin,
        300 // (1 + m.rivals) AS confidence, m.rivals
    FROM line_match AS m
    WHERE m.origin = 'same_text_elsewhere'
),
telling AS (SELECT * FROM own UNION ALL SELECT * FROM elsewhere),
placed AS (
    SELECT a.repository_id, a.commit_oid, a.path, a.line, a.is_telling, t.session_key, t.call_key, t.origin,
        t.confidence, t.rivals,
        a.line - lag(a.line) OVER (PARTITION BY a.repository_id, a.commit_oid, a.path ORDER BY a.line) > 2 AS is_begin
    FROM added_line AS a
    LEFT JOIN telling AS t USING (repository_id, commit_oid, path, line)
),
block AS (
    SELECT *, count(*) FILTER (coalesce(is_begin, true)) OVER (
        PARTITION BY repository_id, commit_oid, path ORDER BY line) AS block
    FROM placed
),
neighbour AS (
    SELECT *,
        last_value(CASE WHEN origin = 'written_text' THEN {'s': session_key, 'c': call_key, 'n': confidence} END
            IGNORE NULLS) OVER (
            PARTITION BY repository_id, commit_oid, path, block ORDER BY line
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS above,
        first_value(CASE WHEN origin = 'written_text' THEN {'s': session_key, 'c': call_key, 'n': confidence} END
            IGNORE NULLS) OVER (
            PARTITION BY repository_id, commit_oid, path, block ORDER BY line
            ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS below
    FROM block
)
SELECT repository_id, commit_oid, path, line,
    coalesce(session_key, above.s, below.s) AS session_key, coalesce(call_key, above.c, below.c) AS call_key,
    CASE WHEN call_key IS NOT NULL THEN origin WHEN is_telling THEN 'altered_text' ELSE 'surrounding_lines' END AS origin,
    CASE WHEN call_key IS NOT NULL THEN confidence WHEN is_telling THEN 400
        ELSE 9 * coalesce(least(above.n, below.n), above.n, below.n) // 10 END AS confidence,
    coalesce(rivals, 0) AS rivals
FROM neighbour
WHERE call_key IS NOT NULL
    OR is_telling AND above.s = below.s AND above.c = below.c
    OR NOT is_telling AND coalesce(above.s, below.s) IS NOT NULL
