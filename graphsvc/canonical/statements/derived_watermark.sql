-- Purpose: how much there is of the evidence that derived tables are made from.
-- Columns: kind, seq (of its newest event)
SELECT 'commit' AS kind, max(seq) AS seq FROM "commit"
UNION ALL SELECT 'file_change', max(seq) FROM file_change
UNION ALL SELECT 'snapshot', max(seq) FROM snapshot
UNION ALL SELECT 'document', max(seq) FROM document
UNION ALL SELECT 'tool_call', max(seq) FROM tool_call
UNION ALL SELECT 'tool_result', max(seq) FROM tool_result
UNION ALL SELECT 'checkpoint_session', max(seq) FROM checkpoint_session
UNION ALL SELECT 'session_workplace', max(seq) FROM session_workplace
UNION ALL SELECT 'tombstone', max(seq) FROM tombstone WHERE target_kind <> 'fact'
ORDER BY kind
