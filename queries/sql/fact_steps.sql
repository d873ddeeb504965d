-- Purpose: a fact, what it rests on, and the prompt and session of the turns among that.
-- Parameters: fact
-- Columns: step, key, text, occurred_at, origin, segment, start_byte, end_byte
WITH anchor AS (
    SELECT ordinal, anchor_kind, anchor_id FROM fact_anchor WHERE fact_id = $fact
),
said AS (
    SELECT s.turn_id, s.session_key, s.prompt, s.occurred_at, s.segment, s.start_byte, s.end_byte
    FROM turn_start AS s
    WHERE s.turn_id IN (SELECT anchor_id FROM anchor WHERE anchor_kind = 'turn')
)
SELECT step, key, text, occurred_at, origin, segment, start_byte, end_byte
FROM (
    SELECT -1 AS place, 0 AS part, 'fact' AS step, fact_id AS key, content AS text, occurred_at, 'asked' AS origin, segment,
        start_byte, end_byte
    FROM fact WHERE fact_id = $fact
    UNION ALL
    SELECT a.ordinal, 0, 'session', s.session_key, 'session of the turn that it rests on', s.occurred_at, 'anchor',
        s.segment, s.start_byte, s.end_byte
    FROM anchor AS a JOIN said AS s ON s.turn_id = a.anchor_id
    UNION ALL
    SELECT a.ordinal, 1, 'prompt', s.turn_id, s.prompt, s.occurred_at, 'anchor', s.segment, s.start_byte, s.end_byte
    FROM anchor AS a JOIN said AS s ON s.turn_id = a.anchor_id
    UNION ALL
    SELECT a.ordinal, 0, 'commit', c.oid, c.title || ' (' || c.author_name || ')', c.authored_at, 'anchor', c.segment,
        c.start_byte, c.end_byte
    FROM anchor AS a JOIN present_commit AS c ON a.anchor_kind = 'commit' AND commit_id(c.repository_id, c.oid) = a.anchor_id
    UNION ALL
    SELECT a.ordinal, 0, 'file', k.path, 'a file that it rests on', NULL, 'anchor', NULL, NULL, NULL
    FROM anchor AS a JOIN known_file AS k ON a.anchor_kind = 'file' AND file_id(k.repository_id, k.path) = a.anchor_id
    UNION ALL
    SELECT a.ordinal, 0, 'span', a.anchor_id, 'bytes that it rests on', NULL, 'anchor', split_part(a.anchor_id, ':', 1),
        split_part(a.anchor_id, ':', 2)::BIGINT, split_part(a.anchor_id, ':', 3)::BIGINT
    FROM anchor AS a WHERE a.anchor_kind = 'span'
    UNION ALL
    SELECT a.ordinal, 0, 'symbol', a.anchor_id, 'a symbol that it rests on', NULL, 'anchor', NULL, NULL, NULL
    FROM anchor AS a WHERE a.anchor_kind = 'symbol'
)
ORDER BY place, part
