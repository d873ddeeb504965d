-- Question: which symbols do commits change most often?
-- Parameters: since = null (a day or time in UTC), limit = 20
-- Columns: path, descriptor, kind, commits, of_signature (those that changed its declaration), last_changed_at
-- Notes: run `graphsvc track` first. Places are those of the commits: one that was renamed or moved has several.
SELECT path, descriptor, arg_max(symbol_kind, committed_at) AS kind, count(DISTINCT commit_oid) AS commits,
    count(DISTINCT commit_oid) FILTER (is_signature_changed) AS of_signature, max(committed_at) AS last_changed_at
FROM present_symbol_change
WHERE change <> 'removed' AND symbol_kind <> 'section'
    AND ($since::TIMESTAMP IS NULL OR committed_at >= $since::TIMESTAMP)
GROUP BY repository_id, path, descriptor
ORDER BY commits DESC, last_changed_at DESC, path, descriptor
LIMIT $limit
