-- Purpose: how much of the history is tracked.
-- Columns: tracked (commits), untracked (commits of repositories that are tracked)
SELECT (SELECT count(*) FROM tracked_commit SEMI JOIN tracking_rules USING (repository_id, rules)) AS tracked,
    (SELECT count(*) FROM untracked_commit) AS untracked
