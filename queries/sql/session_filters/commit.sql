-- Purpose: sessions of the checkpoints that the message of a commit names, wherever it does; the beginning of its id is enough.
-- Parameters: commit
-- Columns: session_key
SELECT s.session_key FROM present_checkpoint_session AS s
JOIN checkpoint_trailer AS t ON t.repository_id = s.repository_id AND t.value = s.checkpoint_key
WHERE starts_with(t.commit_oid, $commit)
