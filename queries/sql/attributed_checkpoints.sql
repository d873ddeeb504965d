-- Purpose: the attribution that checkpoints recorded beside what linking knows of the commits that name them.
-- Parameters: repository (null for all)
-- Columns: checkpoint, session, commits, recorded_lines, recorded_agent_lines, recorded_share (percent), lines (that
--   the commits add and that are not empty), agent_lines (of those), agent_share (percent), difference (percentage
--   points), why (agrees, no_commit, transcript_missing, several_commits, several_sessions, lines_differ, edited_after)
WITH recorded AS (
    SELECT a.checkpoint_key, a.session_key, max(a.total_committed) AS total, max(a.agent_lines) AS agent,
        max(a.agent_percentage) AS share
    FROM attribution AS a ANTI JOIN withdrawn USING (event_id)
    WHERE a.session_index IS NOT NULL
    GROUP BY a.checkpoint_key, a.session_key
),
named AS (
    SELECT t.repository_id, t.value AS checkpoint_key, t.commit_oid
    FROM checkpoint_trailer AS t
    SEMI JOIN (SELECT repository_id, oid AS commit_oid FROM present_commit) AS c USING (repository_id, commit_oid)
    WHERE $repository IS NULL OR t.repository_id = $repository
    GROUP BY t.repository_id, t.value, t.commit_oid
),
-- Of a commit that was rebased, one copy counts: the one with most lines.
added AS (
    SELECT n.checkpoint_key, n.commit_oid, count(a.line) AS lines,
        count(w.line) FILTER (w.origin IN ('written_text', 'surrounding_lines') AND w.confidence >= 500) AS agent_lines
    FROM named AS n
    LEFT JOIN added_line AS a USING (repository_id, commit_oid)
    LEFT JOIN line_writer AS w USING (repository_id, commit_oid, path, line)
    GROUP BY n.checkpoint_key, n.commit_oid
),
linked AS (
    SELECT checkpoint_key, count(*) AS commits, max(lines) AS lines, arg_max(agent_lines, (lines, commit_oid)) AS agent_lines
    FROM added GROUP BY checkpoint_key
),
held AS (
    SELECT DISTINCT checkpoint_key, session_key FROM session_document WHERE checkpoint_key IS NOT NULL
    UNION
    SELECT c.checkpoint_key, c.session_key FROM present_checkpoint_session AS c
    SEMI JOIN (SELECT session_key FROM session_document WHERE checkpoint_key IS NULL) AS h USING (session_key)
),
crowd AS (
    SELECT checkpoint_key, count(DISTINCT session_key) AS sessions FROM present_checkpoint_session GROUP BY checkpoint_key
)
SELECT r.checkpoint_key AS checkpoint, r.session_key AS session, coalesce(l.commits, 0) AS commits,
    r.total AS recorded_lines, r.agent AS recorded_agent_lines, r.share AS recorded_share, l.lines, l.agent_lines,
    round(100.0 * l.agent_lines / nullif(l.lines, 0), 1) AS agent_share,
    round(100.0 * l.agent_lines / nullif(l.lines, 0) - r.share, 1) AS difference,
    CASE WHEN l.commits IS NULL THEN 'no_commit'
        WHEN abs(100.0 * l.agent_lines / nullif(l.lines, 0) - r.share) <= 10 THEN 'agrees'
        WHEN h.session_key IS NULL THEN 'transcript_missing'
        WHEN c.sessions > 1 THEN 'several_sessions'
        WHEN l.commits > 1 THEN 'several_commits'
        WHEN coalesce(r.total, 0) NOT BETWEEN 0.8 * l.lines AND 1.25 * l.lines + 2 THEN 'lines_differ'
        ELSE 'edited_after' END AS why
FROM recorded AS r
LEFT JOIN linked AS l USING (checkpoint_key)
LEFT JOIN held AS h USING (checkpoint_key, session_key)
LEFT JOIN crowd AS c USING (checkpoint_key)
ORDER BY abs(difference) DESC NULLS LAST, checkpoint, session
