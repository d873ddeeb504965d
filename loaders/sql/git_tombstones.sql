-- Purpose: how often the presence of events has changed already.
-- Parameters: table target (event_id)
-- Columns: event_id, changes
SELECT target_event_id AS event_id, count(*) AS changes
FROM tombstone
JOIN target ON target.event_id = target_event_id
GROUP BY target_event_id
