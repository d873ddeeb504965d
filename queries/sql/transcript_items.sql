-- Purpose: all that was said and done in a session, in order.
-- Parameters: session
-- Columns: kind (message or call), turn_id, position, is_abandoned (the session went on from before it), role, channel,
--   origin, text, occurred_at, is_nested, parent_call, call_key, name, path, command, writes, is_error, exit_code,
--   result_excerpt, answered_at, segment, start_byte, end_byte (of the record or the call), result_segment, result_start,
--   result_end
WITH said AS (
    SELECT 'message' AS kind, t.turn_id, t.position, t.start_byte AS record_start, m.block, m.role, m.channel, m.origin,
        m.text, m.occurred_at, m.is_nested, m.segment, m.start_byte, m.end_byte
    FROM message AS m
    JOIN timeline AS t
        ON t.session_key = m.session_key AND t.segment = m.segment AND t.occurrence = m.occurrence
        AND t.start_byte = m.start_byte
    WHERE m.session_key = $session AND t.is_present
),
done AS (
    SELECT 'call' AS kind, * FROM session_tool_call WHERE session_key = $session AND is_present
)
SELECT kind, turn_id, position,
    EXISTS (
        SELECT 1 FROM rewound AS r
        WHERE r.session_key = $session AND item.position > r.after AND item.position < r.before
    ) AS is_abandoned,
    role, channel, origin, text, occurred_at, is_nested, parent_call, call_key, name, path, command, writes, is_error,
    exit_code, result_excerpt, answered_at, segment, start_byte, end_byte, result_segment, result_start, result_end
FROM (
    SELECT kind, turn_id, position, record_start AS place, block, role, channel, origin, text, occurred_at, is_nested,
        NULL AS parent_call, NULL AS call_key, NULL AS name, NULL AS path, NULL AS command, NULL AS writes,
        NULL AS is_error, NULL AS exit_code, NULL AS result_excerpt, NULL AS answered_at, segment, start_byte, end_byte,
        NULL AS result_segment, NULL AS result_start, NULL AS result_end
    FROM said
    UNION ALL
    SELECT kind, turn_id, position, start_byte, 65536, NULL, NULL, NULL, NULL, occurred_at, is_nested, parent_call,
        call_key, name, path, command, writes, is_error, exit_code, result_excerpt, answered_at, segment, start_byte,
        end_byte, result_segment, result_start, result_end
    FROM done
) AS item
ORDER BY position, place, block, call_key
