-- Purpose: what is known of a session besides its transcript.
-- Parameters: session
-- Columns: agent, title, intent, outcome, friction, open_items, branch, checkpoints, commits, files, repositories,
--   models, working_directories, started_at, ended_at, compactions
WITH summary AS (
    SELECT session_key, arg_max(intent, (occurred_at, event_id)) AS intent,
        arg_max(outcome, (occurred_at, event_id)) AS outcome,
        arg_max(friction, (occurred_at, event_id)) AS friction,
        arg_max(open_items, (occurred_at, event_id)) AS open_items
    FROM session_summary ANTI JOIN withdrawn USING (event_id)
    WHERE session_key = $session
    GROUP BY session_key
),
captured_session AS (
    SELECT list(DISTINCT s.checkpoint_key ORDER BY s.checkpoint_key) AS checkpoints, min(s.branch) AS branch,
        list(DISTINCT t.commit_oid ORDER BY t.commit_oid) FILTER (t.commit_oid IS NOT NULL) AS commits
    FROM present_checkpoint_session AS s
    LEFT JOIN checkpoint_trailer AS t ON t.repository_id = s.repository_id AND t.value = s.checkpoint_key
    WHERE s.session_key = $session
),
recorded AS (
    SELECT min(git_branch) AS branch, list(DISTINCT model ORDER BY model) FILTER (model IS NOT NULL) AS models,
        list(DISTINCT cwd ORDER BY cwd) FILTER (cwd IS NOT NULL) AS working_directories,
        count(DISTINCT entry_key) FILTER (is_compaction AND entry_type <> 'user') AS compactions
    FROM entry WHERE session_key = $session
),
touched AS (
    SELECT coalesce(list(DISTINCT path ORDER BY path) FILTER (origin = 'metadata'),
        list(DISTINCT path ORDER BY path) FILTER (access = 'write' AND origin <> 'command'),
        list(DISTINCT path ORDER BY path) FILTER (access = 'write')) AS files
    FROM file_touch WHERE session_key = $session
)
SELECT
    (SELECT agent FROM session_agent WHERE session_key = $session),
    (SELECT arg_max(text, event_id) FROM message WHERE session_key = $session AND channel = 'title'),
    s.intent, s.outcome, s.friction, s.open_items, coalesce(c.branch, r.branch), c.checkpoints, c.commits, f.files,
    (SELECT list(repository_id ORDER BY repository_id) FROM session_repository WHERE session_key = $session),
    r.models, r.working_directories, w.started_at, w.ended_at, r.compactions
FROM captured_session AS c
CROSS JOIN recorded AS r
CROSS JOIN touched AS f
LEFT JOIN summary AS s ON true
LEFT JOIN session_time AS w ON w.session_key = $session
