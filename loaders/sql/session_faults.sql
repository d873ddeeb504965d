-- Purpose: faults of documents.
-- Parameters: table wanted (event_id, of documents)
-- Columns: event_id, subject
SELECT f.event_id, f.subject FROM fault AS f SEMI JOIN wanted ON wanted.event_id = f.subject
ORDER BY f.event_id
