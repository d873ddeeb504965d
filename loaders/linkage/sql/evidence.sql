-- Purpose: what speaks for each session that a commit may come from. Every measure is an integer.
-- Reads the temporary tables of matching.sql.
-- Makes the temporary table link_evidence: repository_id, commit_oid, session_key; text_share (thousandths of the
--   commit's added text, weighed by rarity, that the session wrote), text_weight (hundredths of rare lines), line_count,
--   line_total (telling lines); capture_gap (seconds between the commit and the nearest checkpoint that recorded the
--   session, null beyond ten minutes), capture_files (thousandths of the commit's files that this checkpoint lists);
--   silence (seconds since the session's last record, null beyond a day), edited_files (thousandths of the commit's
--   files that the session edited in the day before), edited_lately (the same of three hours), read_files (read in the
--   day before), author_share (thousandths of the session's text in other commits that have the same author, null
--   without any); other_share, other_gap (the best of other sessions for the same commit); is_recorded (a checkpoint
--   of the repository ever recorded the session); call_key (the call that wrote most of the text); segment, start_byte,
--   end_byte (that call, else the record of the checkpoint).

CREATE TEMP TABLE weighed_line AS
SELECT repository_id, commit_oid, session_key, call_key,
    CASE WHEN origin = 'same_text_elsewhere' THEN 0.3 WHEN NOT is_new THEN 0.1 WHEN NOT is_supported THEN 0.5
        WHEN is_in_window THEN 1.0 ELSE 0.7 END / places AS weight
FROM line_match;

CREATE TEMP TABLE commit_text AS
SELECT repository_id, commit_oid, sum(1.0 / places) AS weight, count(*) AS line_total
FROM added_line JOIN line_rarity USING (line_key)
WHERE is_telling
GROUP BY repository_id, commit_oid;

CREATE TEMP TABLE session_text AS
SELECT repository_id, commit_oid, session_key, sum(weight) AS weight, sum(line_count)::BIGINT AS line_count,
    arg_max(call_key, (weight, call_key)) AS call_key
FROM (
    SELECT repository_id, commit_oid, session_key, call_key, sum(weight) AS weight, count(*) AS line_count
    FROM weighed_line GROUP BY repository_id, commit_oid, session_key, call_key
)
GROUP BY repository_id, commit_oid, session_key;

CREATE TEMP TABLE commit_file AS
SELECT DISTINCT repository_id, commit_oid, unnest([path, coalesce(old_path, path)]) AS path FROM present_file_change;

CREATE TEMP TABLE active_minute AS
SELECT DISTINCT session_key, date_trunc('minute', occurred_at) AS at FROM entry WHERE occurred_at IS NOT NULL;

CREATE TEMP TABLE activity AS
WITH span AS (
    SELECT s.repository_id, s.session_key, min(a.at) AS begun_at, max(a.at) AS ended_at
    FROM session_repository AS s JOIN active_minute AS a USING (session_key)
    GROUP BY s.repository_id, s.session_key
),
pair AS (
    SELECT c.repository_id, c.commit_oid, c.authored_at, s.session_key, c.authored_at + INTERVAL 5 MINUTE AS until
    FROM commit_time AS c
    JOIN span AS s ON s.repository_id = c.repository_id AND c.authored_at >= s.begun_at - INTERVAL 5 MINUTE
        AND c.authored_at <= s.ended_at + INTERVAL 1 DAY
)
SELECT p.repository_id, p.commit_oid, p.session_key,
    greatest(0, date_diff('second', a.at, p.authored_at)) AS silence
FROM pair AS p
ASOF JOIN active_minute AS a ON a.session_key = p.session_key AND p.until >= a.at
WHERE a.at >= p.authored_at - INTERVAL 1 DAY;

CREATE TEMP TABLE touch AS
SELECT DISTINCT session_key, repository_id, path, access, occurred_at FROM touched_file WHERE occurred_at IS NOT NULL;

CREATE TEMP TABLE file_overlap AS
SELECT a.repository_id, a.commit_oid, a.session_key,
    count(DISTINCT f.path) FILTER (t.access = 'write') AS edited,
    count(DISTINCT f.path) FILTER (t.access = 'write' AND t.occurred_at >= c.authored_at - INTERVAL 3 HOUR) AS lately,
    count(DISTINCT f.path) FILTER (t.access = 'read') AS looked_at
FROM activity AS a
JOIN commit_time AS c USING (repository_id, commit_oid)
JOIN touch AS t ON t.session_key = a.session_key AND t.repository_id = a.repository_id
    AND t.occurred_at BETWEEN c.authored_at - INTERVAL 1 DAY AND c.authored_at + INTERVAL 5 MINUTE
JOIN commit_file AS f ON f.repository_id = a.repository_id AND f.commit_oid = a.commit_oid AND f.path = t.path
GROUP BY a.repository_id, a.commit_oid, a.session_key;

CREATE TEMP TABLE file_count AS
SELECT repository_id, commit_oid, count(*) AS files FROM commit_file GROUP BY repository_id, commit_oid;

CREATE TEMP TABLE capture AS
SELECT repository_id, commit_oid, session_key, min(gap) AS gap, arg_min(listed, (gap, event_id)) AS listed,
    arg_min(segment, (gap, event_id)) AS segment, arg_min(start_byte, (gap, event_id)) AS start_byte,
    arg_min(end_byte, (gap, event_id)) AS end_byte
FROM (
    SELECT c.repository_id, c.commit_oid, s.session_key, s.event_id, s.segment, s.start_byte, s.end_byte,
        abs(date_diff('second', c.authored_at, s.occurred_at)) AS gap, count(f.path) AS listed
    FROM commit_time AS c
    JOIN present_checkpoint_session AS s ON s.repository_id = c.repository_id
        AND s.occurred_at BETWEEN c.authored_at - INTERVAL 10 MINUTE AND c.authored_at + INTERVAL 10 MINUTE
    LEFT JOIN commit_file AS f ON f.repository_id = c.repository_id AND f.commit_oid = c.commit_oid
        AND list_contains(s.files_touched, f.path)
    GROUP BY ALL
)
GROUP BY repository_id, commit_oid, session_key;

CREATE TEMP TABLE authored_text AS
SELECT t.repository_id, t.session_key, c.author_email, sum(t.weight) AS weight
FROM session_text AS t
JOIN present_commit AS c ON c.repository_id = t.repository_id AND c.oid = t.commit_oid
GROUP BY t.repository_id, t.session_key, c.author_email;

CREATE TEMP TABLE measured AS
WITH candidate AS (
    SELECT repository_id, commit_oid, session_key FROM activity
    UNION SELECT repository_id, commit_oid, session_key FROM session_text
    UNION SELECT repository_id, commit_oid, session_key FROM capture
),
person AS (
    SELECT k.*, d.author_email
    FROM candidate AS k
    JOIN commit_time AS c ON c.repository_id = k.repository_id AND c.commit_oid = k.commit_oid AND NOT c.is_bot
    JOIN present_commit AS d ON d.repository_id = k.repository_id AND d.oid = k.commit_oid
),
session_total AS (
    SELECT repository_id, session_key, sum(weight) AS weight FROM authored_text GROUP BY repository_id, session_key
)
SELECT k.repository_id, k.commit_oid, k.session_key,
    coalesce(round(1000 * t.weight / x.weight), 0)::BIGINT AS text_share,
    coalesce(round(100 * t.weight), 0)::BIGINT AS text_weight,
    coalesce(t.line_count, 0) AS line_count, coalesce(x.line_total, 0) AS line_total,
    p.gap AS capture_gap, coalesce(1000 * p.listed // n.files, 0) AS capture_files,
    a.silence,
    coalesce(1000 * o.edited // n.files, 0) AS edited_files, coalesce(1000 * o.lately // n.files, 0) AS edited_lately,
    coalesce(1000 * o.looked_at // n.files, 0) AS read_files,
    CASE WHEN s.weight - coalesce(t.weight, 0) > 0.5 THEN
        round(1000 * (coalesce(m.weight, 0) - coalesce(t.weight, 0)) / (s.weight - coalesce(t.weight, 0)))::BIGINT
    END AS author_share,
    t.call_key, p.segment, p.start_byte, p.end_byte
FROM person AS k
LEFT JOIN session_text AS t USING (repository_id, commit_oid, session_key)
LEFT JOIN commit_text AS x USING (repository_id, commit_oid)
LEFT JOIN capture AS p USING (repository_id, commit_oid, session_key)
LEFT JOIN activity AS a USING (repository_id, commit_oid, session_key)
LEFT JOIN file_overlap AS o USING (repository_id, commit_oid, session_key)
LEFT JOIN file_count AS n USING (repository_id, commit_oid)
LEFT JOIN authored_text AS m USING (repository_id, session_key, author_email)
LEFT JOIN session_total AS s USING (repository_id, session_key);

CREATE TEMP TABLE link_evidence AS
WITH best AS (
    SELECT *,
        max(text_share) OVER (same ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS share_before,
        max(text_share) OVER (same ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS share_after,
        min(capture_gap) OVER (same ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS gap_before,
        min(capture_gap) OVER (same ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS gap_after
    FROM measured
    WINDOW same AS (PARTITION BY repository_id, commit_oid ORDER BY session_key)
),
written AS (
    SELECT session_key, call_key, min(segment) AS segment, arg_min(start_byte, segment) AS start_byte,
        arg_min(end_byte, segment) AS end_byte
    FROM tool_call
    WHERE (session_key, call_key) IN (SELECT (session_key, call_key) FROM measured WHERE call_key IS NOT NULL)
    GROUP BY session_key, call_key
)
SELECT b.* EXCLUDE (share_before, share_after, gap_before, gap_after, segment, start_byte, end_byte),
    coalesce(greatest(share_before, share_after), 0) AS other_share, least(gap_before, gap_after) AS other_gap,
    r.session_key IS NOT NULL AS is_recorded,
    coalesce(w.segment, b.segment) AS segment, coalesce(w.start_byte, b.start_byte) AS start_byte,
    coalesce(w.end_byte, b.end_byte) AS end_byte
FROM best AS b
LEFT JOIN written AS w USING (session_key, call_key)
LEFT JOIN (SELECT DISTINCT repository_id, session_key FROM captured) AS r USING (repository_id, session_key)
