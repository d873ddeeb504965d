-- Purpose: numbers about transcripts, raw (each copy of a record counts) and distinct.

-- name: transcripts
SELECT
    (SELECT sum(byte_count) FROM present_document WHERE role = 'transcript') AS bytes,
    (SELECT count(*) FROM present_document WHERE role = 'transcript' AND NOT is_missing) AS transcripts_present,
    (SELECT count(*) FROM present_document WHERE role = 'transcript' AND NOT ends_with_newline) AS no_final_newline,
    (SELECT count(*) FROM transcript_line WHERE format = 'claude') AS lines,
    (SELECT count(*) FROM (SELECT 1 FROM entry_copy WHERE format = 'claude' GROUP BY document_id, ordinal
        HAVING count(*) = 1)) AS lines_parsed,
    (SELECT count(*) FROM entry_copy WHERE format = 'gemini') AS gemini_messages,
    (SELECT count(*) FROM (SELECT 1 FROM entry_copy GROUP BY document_id, ordinal HAVING count(*) > 1))
        AS malformed_lines,
    (SELECT sum(records) FROM (SELECT count(*) AS records FROM entry_copy GROUP BY document_id, ordinal
        HAVING count(*) > 1)) AS objects_recovered_from_malformed

-- name: distinct_transcript_blobs
SELECT count(DISTINCT content_id) FROM present_document WHERE role = 'transcript' AND NOT is_missing

-- name: distinct_transcript_blob_bytes
SELECT sum(byte_count)
FROM (SELECT DISTINCT content_id, byte_count FROM present_document WHERE role = 'transcript' AND NOT is_missing)

-- name: distinct_lines
SELECT count(DISTINCT segment) FROM transcript_line WHERE format = 'claude'

-- name: distinct_line_bytes
SELECT sum(byte_count) FROM segment SEMI JOIN (SELECT * FROM transcript_line WHERE format = 'claude') USING (segment)

-- name: dedup_ratio_bytes
SELECT round(
    (SELECT sum(byte_count) FROM present_document WHERE role = 'transcript')
    / (SELECT sum(byte_count) FROM segment SEMI JOIN (SELECT * FROM transcript_line WHERE format = 'claude')
        USING (segment)),
    3)

-- name: max_line
SELECT byte_count, path || ':' || (ordinal + 1) FROM transcript_line WHERE format = 'claude'
ORDER BY byte_count DESC, path LIMIT 1

-- name: malformed
SELECT l.path, l.ordinal + 1 AS line, l.byte_count AS bytes, r.recovered_objects
FROM transcript_line AS l
JOIN (
    SELECT document_id, ordinal, count(*) AS recovered_objects
    FROM entry_copy GROUP BY document_id, ordinal HAVING count(*) > 1
) AS r USING (document_id, ordinal)
ORDER BY l.path, line

-- name: entry_types
SELECT if(format = 'gemini', 'gemini:', '') || entry_type, count(*)
FROM entry_copy
GROUP BY 1

-- name: entry_types_distinct_lines
SELECT entry_type, count(DISTINCT (segment, start_byte))
FROM entry_copy
WHERE format = 'claude'
GROUP BY entry_type

-- name: distinct_uuid
SELECT count(DISTINCT entry_key) FROM entry_copy WHERE format = 'claude' AND length(entry_key) = 36

-- name: raw_counts
SELECT
    (SELECT count(*) FROM prompt_copy) AS user_prompts,
    (SELECT count(*) FROM prompt_copy WHERE is_typed) AS user_prompts_typed,
    (SELECT sum(thinking_count) FROM entry_copy WHERE format = 'claude') AS thinking_blocks,
    (SELECT count(*) FROM tool_call_copy WHERE is_nested) AS nested_subagent_tool_use,
    (SELECT count(*) FROM tool_result_copy WHERE NOT is_nested) AS tool_result,
    (SELECT sum(image_count) FROM entry_copy) AS image_blocks

-- name: tool_use_raw
SELECT count(*) FROM tool_call_copy WHERE NOT is_nested

-- name: tool_use_raw_top15
SELECT name, count(*) FROM tool_call_copy WHERE NOT is_nested GROUP BY name ORDER BY count(*) DESC, name LIMIT 15

-- name: tool_use_distinct
SELECT count(DISTINCT (session_key, call_key)) FROM tool_call_copy WHERE NOT is_nested

-- name: tool_use_distinct_top15
SELECT name, count(DISTINCT (session_key, call_key)) AS calls FROM tool_call_copy WHERE NOT is_nested
GROUP BY name ORDER BY calls DESC, name LIMIT 15

-- name: tool_use_distinct_names
SELECT count(DISTINCT name) FROM tool_call_copy WHERE NOT is_nested

-- name: tool_result_raw
SELECT count(*) FROM tool_result_copy WHERE NOT is_nested

-- name: tool_result_distinct
SELECT count(DISTINCT (session_key, call_key)) FROM tool_result_copy WHERE NOT is_nested

-- name: tool_use_without_result
SELECT count(*) FROM (
    SELECT session_key, call_key FROM tool_call_copy WHERE NOT is_nested
    EXCEPT
    SELECT session_key, call_key FROM tool_result_copy WHERE NOT is_nested
)

-- name: tool_result_without_use
SELECT count(*) FROM (
    SELECT session_key, call_key FROM tool_result_copy WHERE NOT is_nested
    EXCEPT
    SELECT session_key, call_key FROM tool_call_copy WHERE NOT is_nested
)

-- name: nested_subagent_tool_use_distinct
SELECT count(DISTINCT call_key) FROM tool_call_copy WHERE is_nested

-- name: user_prompts_raw
SELECT count(*) FROM prompt_copy

-- name: user_prompts_distinct
SELECT count(DISTINCT (session_key, entry_key)) FROM prompt_copy

-- name: user_prompts_typed_raw
SELECT count(*) FROM prompt_copy WHERE is_typed

-- name: user_prompts_typed_distinct
SELECT count(DISTINCT (session_key, entry_key)) FROM prompt_copy WHERE is_typed

-- name: assistant_lines_by_model
SELECT model, count(*) FROM entry_copy WHERE format = 'claude' AND entry_type = 'assistant' GROUP BY model

-- name: claude_usage_distinct_message_id
SELECT count(*) AS messages, sum(input_tokens) AS input_tokens,
    sum(cache_creation_tokens) AS cache_creation_input_tokens, sum(cache_read_tokens) AS cache_read_input_tokens,
    sum(output_tokens) AS output_tokens
FROM message_usage
SEMI JOIN (SELECT message_key FROM entry WHERE format = 'claude' AND role = 'assistant') USING (message_key)
WHERE NOT is_nested
