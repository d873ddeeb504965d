-- Purpose: the agent of each session.
-- Columns: session_key, agent
SELECT session_key, arg_min(agent, (occurred_at, event_id)) AS agent
FROM present_checkpoint_session
GROUP BY session_key
