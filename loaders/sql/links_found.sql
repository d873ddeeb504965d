-- Purpose: the sessions that commits are said to come from by what linking found out.
-- Parameters: linked (least confidence, in thousandths)
-- Columns: repository_id, commit_oid, session_key
SELECT repository_id, commit_oid, session_key FROM commit_session WHERE confidence >= $linked
