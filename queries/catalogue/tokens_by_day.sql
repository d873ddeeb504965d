-- Question: how many tokens did each model use on each day?
-- Parameters: since = null (a day or time in UTC), limit = 100
-- Columns: day (UTC, null where the record has no time), model, messages, input_tokens, output_tokens,
--   cache_creation_tokens, cache_read_tokens
-- Notes: a host writes one message in several records that each repeat the counts: the last record of a message counts.
SELECT
    occurred_at::DATE AS day,
    model,
    count(*) AS messages,
    sum(input_tokens)::BIGINT AS input_tokens,
    sum(output_tokens)::BIGINT AS output_tokens,
    sum(cache_creation_tokens)::BIGINT AS cache_creation_tokens,
    sum(cache_read_tokens)::BIGINT AS cache_read_tokens
FROM message_usage
WHERE $since IS NULL OR occurred_at >= $since::TIMESTAMP
GROUP BY day, model
ORDER BY day DESC NULLS LAST, output_tokens DESC, model
LIMIT $limit
