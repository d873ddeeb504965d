-- Purpose: code branches that sessions were recorded on, those of the most sessions first.
-- Columns: value
SELECT branch AS value
FROM (
    SELECT session_key, branch FROM present_checkpoint_session
    UNION
    SELECT session_key, git_branch FROM entry
)
WHERE branch IS NOT NULL
GROUP BY branch
ORDER BY count(*) DESC, branch
