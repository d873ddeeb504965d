-- Purpose: answers of tool calls that wrote files, whose edits have not been looked at with an extractor.
-- Parameters: extractor
-- Columns: event_id, session_key, call_key, occurrence, format, path (the call's file, as recorded), and the record with
--   the answer (segment, start_byte, end_byte), in the order in which they lie in packs
WITH writing AS (
    SELECT session_key, call_key, min(path) AS path FROM file_touch
    WHERE access = 'write' AND origin IN ('tool_input', 'patch') AND call_key IS NOT NULL
    GROUP BY session_key, call_key
)
SELECT r.event_id, r.session_key, r.call_key, r.occurrence, e.format, w.path, e.segment, e.start_byte, e.end_byte
FROM tool_result AS r
JOIN writing AS w USING (session_key, call_key)
JOIN entry AS e USING (session_key, entry_key, occurrence, segment)
JOIN segment AS s ON s.segment = e.segment
WHERE NOT coalesce(r.is_error, false)
    AND r.event_id NOT IN (SELECT result_event_id FROM edit_trace WHERE extractor = $extractor)
ORDER BY s.pack, s.pack_start, r.event_id
