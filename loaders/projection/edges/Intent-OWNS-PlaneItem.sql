-- Purpose: what is cleared with an intent, as its structured references say.
-- Columns: source, target, path (below the scope; it may lead into the item)
WITH owned AS (
    SELECT c.source_id, c.location, i.name, unnest(i.owns) AS path
    FROM plane_item AS i
    JOIN present_plane_cohort AS c ON c.event_id = i.cohort_id
    WHERE i.plane = 'intents'
)
SELECT
    plane_item_id(source_id, location, 'intents', name) AS source,
    plane_item_id(source_id, location, split_part(path, '.', 1), split_part(path, '.', 2)) AS target,
    path
FROM owned
