-- Purpose: who wrote each line that is not empty, of one indexed snapshot a repository: HEAD where it is indexed.
-- Parameters: repository (null for all), path (a file or folder, null for all), linked (least confidence of a link)
-- Columns: repository_id, snapshot, path, line, last_oid (commit that changed it last), origin_oid (commit that wrote it
--   first), author, authored_at (of that), session_key, call_key, confidence (thousandths), who (agent, mixed, human or
--   unknown), reason (written_text, surrounding_lines; altered_text; no_session, no_call; transcript_missing,
--   checkpoint_missing, weak_evidence, bot)
WITH place AS (
    SELECT repository_id, commit_oid
    FROM present_snapshot
    QUALIFY row_number() OVER (PARTITION BY repository_id ORDER BY reference <> 'HEAD', reference) = 1
),
line AS (
    SELECT o.repository_id, o.commit_oid AS snapshot, o.path, o.first_line + i AS line,
        o.last_oid, o.last_path, o.last_line + i AS last_line,
        o.origin_oid, o.origin_path, o.origin_line + i AS origin_line
    FROM line_origin AS o
    JOIN place AS p USING (repository_id, commit_oid), LATERAL (SELECT unnest(range(o.line_count)) AS i)
    WHERE ($repository IS NULL OR o.repository_id = $repository)
        AND ($path IS NULL OR o.path = $path OR starts_with(o.path, rtrim($path, '/') || '/'))
),
lost AS (
    -- Recordings of sessions without a transcript, neither their own nor the host's.
    SELECT c.repository_id, c.checkpoint_key, c.session_key
    FROM present_checkpoint_session AS c
    ANTI JOIN (
        SELECT session_key, checkpoint_key, session_index FROM session_document WHERE checkpoint_key IS NOT NULL
    ) AS d USING (session_key, checkpoint_key, session_index)
    ANTI JOIN (SELECT session_key FROM session_document WHERE checkpoint_key IS NULL) AS h USING (session_key)
),
stated AS (
    SELECT t.repository_id, t.commit_oid, count(c.session_key) > 0 AS is_known,
        count(l.session_key) > 0 AS is_lost
    FROM checkpoint_trailer AS t
    LEFT JOIN captured AS c ON c.repository_id = t.repository_id AND c.checkpoint_key = t.value
    LEFT JOIN lost AS l ON l.repository_id = c.repository_id AND l.checkpoint_key = c.checkpoint_key
        AND l.session_key = c.session_key
    GROUP BY t.repository_id, t.commit_oid
),
inferred AS (
    SELECT s.repository_id, s.commit_oid, bool_or(l.session_key IS NOT NULL) AS is_lost
    FROM commit_session AS s
    LEFT JOIN (SELECT DISTINCT repository_id, session_key FROM lost) AS l USING (repository_id, session_key)
    WHERE s.confidence >= $linked
    GROUP BY s.repository_id, s.commit_oid
),
commit_state AS (
    SELECT c.repository_id, c.oid AS origin_oid, c.author_name AS author, c.authored_at,
        CASE WHEN by_bot(c.author_name, c.author_email) THEN 'bot'
            WHEN coalesce(s.is_lost, false) OR coalesce(i.is_lost, false) THEN 'transcript_missing'
            WHEN coalesce(s.is_known, false) OR i.commit_oid IS NOT NULL THEN 'no_call'
            WHEN s.commit_oid IS NOT NULL THEN 'checkpoint_missing'
            ELSE 'no_session' END AS state
    FROM "commit" AS c
    LEFT JOIN stated AS s ON s.repository_id = c.repository_id AND s.commit_oid = c.oid
    LEFT JOIN inferred AS i ON i.repository_id = c.repository_id AND i.commit_oid = c.oid
    QUALIFY row_number() OVER (PARTITION BY c.repository_id, c.oid ORDER BY c.seq) = 1
),
written AS (
    SELECT l.repository_id, l.snapshot, l.path, l.line, l.last_oid, l.origin_oid,
        coalesce(f.session_key, t.session_key) AS session_key, coalesce(f.call_key, t.call_key) AS call_key,
        coalesce(f.confidence, t.confidence) AS confidence, coalesce(f.origin, t.origin) AS origin
    FROM line AS l
    LEFT JOIN line_writer AS f ON f.repository_id = l.repository_id AND f.commit_oid = l.origin_oid
        AND f.path = l.origin_path AND f.line = l.origin_line
    LEFT JOIN line_writer AS t ON t.repository_id = l.repository_id AND t.commit_oid = l.last_oid
        AND t.path = l.last_path AND t.line = l.last_line
    -- What is empty, no commit added.
    WHERE EXISTS (
        SELECT 1 FROM added_line AS a WHERE a.repository_id = l.repository_id AND a.commit_oid = l.origin_oid
            AND a.path = l.origin_path AND a.line = l.origin_line
    )
)
SELECT w.repository_id, w.snapshot, w.path, w.line, w.last_oid, w.origin_oid, c.author, c.authored_at,
    w.session_key, w.call_key, w.confidence,
    CASE WHEN w.origin IN ('written_text', 'surrounding_lines') AND w.confidence >= 500 THEN 'agent'
        WHEN w.origin = 'altered_text' THEN 'mixed'
        WHEN w.origin IS NOT NULL THEN 'unknown'
        WHEN c.state IN ('no_session', 'no_call') THEN 'human'
        ELSE 'unknown' END AS who,
    CASE WHEN w.origin IN ('written_text', 'surrounding_lines') AND w.confidence >= 500 THEN w.origin
        WHEN w.origin = 'altered_text' THEN w.origin
        WHEN w.origin IS NOT NULL THEN 'weak_evidence'
        ELSE coalesce(c.state, 'no_session') END AS reason
FROM written AS w
LEFT JOIN commit_state AS c USING (repository_id, origin_oid)
