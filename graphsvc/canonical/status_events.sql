-- Purpose: what the store has of each source, by kind.
-- Columns: source_id, kind, events, withdrawn (of those), newest (time that the newest states, or null)
SELECT e.source_id, e.kind, count(*) AS events, count(w.event_id) AS withdrawn, max(e.occurred_at) AS newest
FROM event AS e
LEFT JOIN withdrawn AS w USING (event_id)
GROUP BY e.source_id, e.kind
ORDER BY e.source_id, e.kind
