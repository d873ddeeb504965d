-- Purpose: how much of the history is traced.
-- Columns: traced (commits), untraced (commits of repositories that are traced)
SELECT (SELECT count(*) FROM traced_commit SEMI JOIN trace_rules USING (repository_id, rules)) AS traced,
    (SELECT count(*) FROM untraced_commit) AS untraced
