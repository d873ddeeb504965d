-- Purpose: the turns that most lines of a commit come from.
-- Parameters: repository, commit, most
-- Columns: session_key, turn_id, lines, confidence (thousandths, of the surest line)
SELECT w.session_key, t.turn_id, count(*) AS lines, max(w.confidence) AS confidence
FROM line_writer AS w
JOIN call_turn AS t USING (session_key, call_key)
WHERE w.repository_id = $repository AND w.commit_oid = $commit AND t.turn_id IS NOT NULL
    AND w.origin IN ('written_text', 'surrounding_lines')
GROUP BY w.session_key, t.turn_id
ORDER BY lines DESC, t.turn_id
LIMIT $most
