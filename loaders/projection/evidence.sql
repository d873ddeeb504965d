-- Purpose: the ids of all events, in an order that does not depend on how they came.
-- Columns: event_id
SELECT event_id FROM event ORDER BY event_id
