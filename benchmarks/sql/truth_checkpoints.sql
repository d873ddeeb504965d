-- Purpose: numbers about checkpoints and their metadata. Each statement follows the name of what it computes.

-- name: branch_tip
SELECT target_oid FROM present_reference WHERE name = 'refs/heads/entire/checkpoints/v1'

-- name: head
SELECT commit_oid FROM present_reference WHERE name = 'HEAD'

-- name: tree_blobs
SELECT count(*) FROM present_document

-- name: tree_blobs_missing
SELECT count(*) FROM present_document WHERE is_missing

-- name: missing_by_file
SELECT regexp_extract(path, '[^/]+$'), count(*) FROM present_document WHERE is_missing GROUP BY 1

-- name: bytes_present
SELECT sum(byte_count) FROM present_document

-- name: files
SELECT if(session_index IS NULL, '', 'N/') || regexp_extract(path, '[^/]+$'), count(*)
FROM present_document GROUP BY 1

-- name: checkpoints
SELECT count(*) FROM present_checkpoint

-- name: session_dirs
SELECT count(DISTINCT (checkpoint_key, session_index)) FROM present_document WHERE session_index IS NOT NULL

-- name: session_entries_in_roots
SELECT sum(listed_sessions) FROM present_checkpoint

-- name: distinct_session_id_raw
SELECT count(DISTINCT raw_session_id) FROM present_checkpoint_session

-- name: distinct_session_id_normalised
SELECT count(DISTINCT session_key) FROM present_checkpoint_session

-- name: checkpoints_with_n_session_dirs
SELECT dirs, count(*)
FROM (SELECT count(*) AS dirs FROM present_checkpoint_session GROUP BY checkpoint_key)
GROUP BY dirs

-- name: checkpoints_noncontiguous_index
SELECT count(*)
FROM (SELECT max(session_index) + 1 <> count(*) AS has_gap FROM present_checkpoint_session GROUP BY checkpoint_key)
WHERE has_gap

-- name: same_session_twice_in_checkpoint
SELECT count(*)
FROM (SELECT 1 FROM present_checkpoint_session GROUP BY checkpoint_key, session_key HAVING count(*) > 1)

-- name: session_agent
SELECT agent, count(*) FROM present_checkpoint_session GROUP BY agent

-- name: session_agents
SELECT array_to_string(agents, ','), count(*) FROM present_checkpoint_session GROUP BY 1

-- name: session_strategy
SELECT strategy, count(*) FROM present_checkpoint_session GROUP BY strategy

-- name: session_model
SELECT model, count(*) FROM present_checkpoint_session GROUP BY model

-- name: session_kind
SELECT session_kind, count(*) FROM present_checkpoint_session GROUP BY session_kind

-- name: session_cli_version
SELECT cli_version, count(*) FROM present_checkpoint_session GROUP BY cli_version

-- name: session_field_counts
SELECT field, count(*) FROM (SELECT unnest(fields) AS field FROM present_checkpoint_session) GROUP BY field

-- name: root_field_counts
SELECT field, count(*) FROM (SELECT unnest(fields) AS field FROM present_checkpoint) GROUP BY field

-- name: token_usage_sum_session
SELECT sum(input_tokens) AS input_tokens, sum(cache_creation_tokens) AS cache_creation_tokens,
    sum(cache_read_tokens) AS cache_read_tokens, sum(output_tokens) AS output_tokens,
    sum(api_call_count) AS api_call_count
FROM token_usage ANTI JOIN withdrawn USING (event_id)
WHERE scope = 'checkpoint_session'

-- name: token_usage_present_session
SELECT count(*) FROM token_usage ANTI JOIN withdrawn USING (event_id) WHERE scope = 'checkpoint_session'

-- name: token_usage_sum_root
SELECT sum(input_tokens) AS input_tokens, sum(cache_creation_tokens) AS cache_creation_tokens,
    sum(cache_read_tokens) AS cache_read_tokens, sum(output_tokens) AS output_tokens,
    sum(api_call_count) AS api_call_count
FROM token_usage ANTI JOIN withdrawn USING (event_id)
WHERE scope = 'checkpoint'

-- name: token_usage_present_root
SELECT count(*) FROM token_usage ANTI JOIN withdrawn USING (event_id) WHERE scope = 'checkpoint'

-- name: token_usage_sum_of_largest_per_session
SELECT sum(input_tokens) AS input_tokens, sum(cache_creation_tokens) AS cache_creation_tokens,
    sum(cache_read_tokens) AS cache_read_tokens, sum(output_tokens) AS output_tokens,
    sum(api_call_count) AS api_call_count
FROM (
    SELECT session_key, unnest(arg_max({
        input_tokens: input_tokens, cache_creation_tokens: cache_creation_tokens,
        cache_read_tokens: cache_read_tokens, output_tokens: output_tokens, api_call_count: api_call_count
    }, (api_call_count, output_tokens)))
    FROM token_usage ANTI JOIN withdrawn USING (event_id)
    WHERE scope = 'checkpoint_session'
    GROUP BY session_key
)

-- name: distinct_files_touched_session
SELECT count(DISTINCT path) FROM file_touch ANTI JOIN withdrawn USING (event_id)
WHERE origin = 'metadata' AND session_index IS NOT NULL

-- name: file_touch_rows_session
SELECT count(*) FROM file_touch ANTI JOIN withdrawn USING (event_id)
WHERE origin = 'metadata' AND session_index IS NOT NULL

-- name: distinct_files_touched_root
SELECT count(DISTINCT path) FROM file_touch ANTI JOIN withdrawn USING (event_id)
WHERE origin = 'metadata' AND session_index IS NULL

-- name: file_touch_rows_root
SELECT count(*) FROM file_touch ANTI JOIN withdrawn USING (event_id)
WHERE origin = 'metadata' AND session_index IS NULL

-- name: top_files_touched_by_checkpoints
SELECT path, count(*) FROM file_touch ANTI JOIN withdrawn USING (event_id)
WHERE origin = 'metadata' AND session_index IS NULL
GROUP BY path ORDER BY count(*) DESC, path LIMIT 15

-- name: sessions_with_summary
SELECT count(*) FROM session_summary ANTI JOIN withdrawn USING (event_id)

-- name: sessions_with_initial_attribution
SELECT count(*) FROM attribution ANTI JOIN withdrawn USING (event_id) WHERE session_index IS NOT NULL

-- name: attribution_agent_lines_sum
SELECT sum(agent_lines) FROM attribution ANTI JOIN withdrawn USING (event_id) WHERE session_index IS NOT NULL

-- name: attribution_total_committed_sum
SELECT sum(total_committed) FROM attribution ANTI JOIN withdrawn USING (event_id) WHERE session_index IS NOT NULL

-- name: transcript_paths
SELECT count(*) FROM present_document WHERE role = 'transcript'

-- name: transcript_paths_missing_blob
SELECT count(*) FROM present_document WHERE role = 'transcript' AND is_missing

-- name: sessions_without_transcript_path
SELECT count(*) FROM present_checkpoint_session
ANTI JOIN (SELECT * FROM present_document WHERE role = 'transcript') USING (checkpoint_key, session_index)

-- name: sessions_normalised_with_a_readable_transcript
SELECT count(DISTINCT session_key) FROM present_document WHERE role = 'transcript' AND NOT is_missing

-- name: sessions_normalised_all_transcripts_missing
SELECT count(DISTINCT session_key) FROM present_checkpoint_session
ANTI JOIN (SELECT session_key FROM present_document WHERE role = 'transcript' AND NOT is_missing) USING (session_key)

-- name: format_by_agent_label
SELECT coalesce(s.agent, '(none)') || ' -> ' || d.format, count(*)
FROM present_document AS d
JOIN present_checkpoint_session AS s USING (checkpoint_key, session_index)
WHERE d.role = 'transcript' AND NOT d.is_missing
GROUP BY 1
