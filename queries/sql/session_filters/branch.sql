-- Purpose: sessions recorded on a code branch, by a checkpoint or in a record.
-- Parameters: branch
-- Columns: session_key
SELECT session_key FROM present_checkpoint_session WHERE branch = $branch
UNION
SELECT session_key FROM entry WHERE git_branch = $branch
