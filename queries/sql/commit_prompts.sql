-- Purpose: the turns that most lines of a commit come from; not those of less than a tenth of the lines of the first.
-- Parameters: repository, commit, most
-- Columns: session_key, turn_id, lines, confidence (thousandths, of the surest line), wrote_at (time of the last call),
--   total (lines of all turns)
SELECT w.session_key, t.turn_id, count(*) AS lines, max(w.confidence) AS confidence, max(c.occurred_at) AS wrote_at,
    sum(count(*)) OVER ()::BIGINT AS total
FROM line_writer AS w
JOIN call_turn AS t USING (session_key, call_key)
JOIN tool_call AS c ON c.seq = t.call_seq
WHERE w.repository_id = $repository AND w.commit_oid = $commit AND t.turn_id IS NOT NULL
    AND w.origin IN ('written_text', 'surrounding_lines')
GROUP BY w.session_key, t.turn_id
HAVING max(w.confidence) >= 500
QUALIFY 10 * count(*) >= max(count(*)) OVER ()
ORDER BY lines DESC, t.turn_id
LIMIT $most
