-- Purpose: views that answer what is true now, over events that only grow.
-- cursor: how far each source has been read (source_id, generation, position, content_digest, seq_hi).
CREATE OR REPLACE TEMP VIEW cursor AS
SELECT
    source_id,
    arg_max(generation, number) AS generation,
    arg_max(position, number) AS position,
    arg_max(content_digest, number) AS content_digest,
    max(seq_hi) AS seq_hi
FROM receipt
GROUP BY source_id;

-- withdrawn: events that their source no longer states (event_id, kind, reason).
CREATE OR REPLACE TEMP VIEW withdrawn AS
SELECT
    target_event_id AS event_id,
    arg_max(target_kind, seq) AS kind,
    arg_max(reason, seq) AS reason
FROM tombstone
GROUP BY target_event_id
HAVING arg_max(state, seq) = 'withdrawn';

-- present_*: events of a kind that their source still states.
CREATE OR REPLACE TEMP VIEW present_document AS SELECT * FROM document ANTI JOIN withdrawn USING (event_id);
CREATE OR REPLACE TEMP VIEW present_reference AS SELECT * FROM reference ANTI JOIN withdrawn USING (event_id);
CREATE OR REPLACE TEMP VIEW present_snapshot AS SELECT * FROM snapshot ANTI JOIN withdrawn USING (event_id);
CREATE OR REPLACE TEMP VIEW present_checkpoint AS SELECT * FROM checkpoint ANTI JOIN withdrawn USING (event_id);
CREATE OR REPLACE TEMP VIEW present_checkpoint_session AS
SELECT * FROM checkpoint_session ANTI JOIN withdrawn USING (event_id);

-- session_document: documents that hold a session's records, in the order in which they were written
-- (session_key, document_id, source_id, repository_id, checkpoint_key, session_index, is_present, rank). The rank
-- counts the present documents first, so that it does not depend on what else the store has seen.
CREATE OR REPLACE TEMP VIEW session_document AS
SELECT
    d.session_key,
    d.document_id,
    d.source_id,
    d.checkpoint_key,
    d.session_index,
    w.event_id IS NULL AS is_present,
    row_number() OVER (
        PARTITION BY d.session_key
        ORDER BY w.event_id IS NOT NULL, s.created_at NULLS LAST, d.checkpoint_key, d.session_index, d.chunk,
            d.path, d.content_id
    ) AS rank
FROM document AS d
LEFT JOIN withdrawn AS w USING (event_id)
LEFT JOIN (
    SELECT source_id, checkpoint_key, session_index, min(occurred_at) AS created_at
    FROM present_checkpoint_session
    GROUP BY source_id, checkpoint_key, session_index
) AS s USING (source_id, checkpoint_key, session_index)
WHERE d.role IN ('transcript', 'compact_transcript', 'task') AND NOT d.is_missing AND d.session_key IS NOT NULL;

-- record_place: where a session's records stand (session_key, segment, occurrence, position, is_present); the
-- position orders them by document and then by place in it.
CREATE OR REPLACE TEMP VIEW record_place AS
SELECT session_key, segment, occurrence, min(rank * 4294967296 + ordinal) AS position,
    bool_or(is_present) AS is_present
FROM (
    SELECT d.session_key, d.rank, d.is_present, p.segment, p.ordinal,
        row_number() OVER (PARTITION BY d.document_id, p.segment ORDER BY p.ordinal) - 1 AS occurrence
    FROM session_document AS d
    JOIN part AS p USING (document_id)
)
GROUP BY session_key, segment, occurrence;

-- prompt: the text of each record that a person typed (entry_event_id, session_key, segment, text, ...).
CREATE OR REPLACE TEMP VIEW prompt AS
SELECT session_key, entry_key, occurrence, min(event_id) AS event_id, arg_min(text, event_id) AS text
FROM message
WHERE channel = 'prompt' AND origin = 'typed'
GROUP BY session_key, entry_key, occurrence;

-- timeline: every record of every session in order (entry columns, position, is_present, starts_turn, turn_id:
-- the turn that it belongs to, null before the first typed prompt).
CREATE OR REPLACE TEMP VIEW timeline AS
SELECT *, last_value(turn_start IGNORE NULLS) OVER (
        PARTITION BY session_key ORDER BY position, start_byte
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS turn_id
FROM (
    SELECT e.*, place.position, place.is_present,
        CASE WHEN p.event_id IS NOT NULL AND NOT coalesce(e.is_sidechain, false)
            THEN 'turn_' || substr(e.event_id, 7) END AS turn_start
    FROM entry AS e
    JOIN record_place AS place USING (session_key, segment, occurrence)
    LEFT JOIN prompt AS p USING (session_key, entry_key, occurrence)
);

-- turn: a typed prompt and all that follows until the next (turn_id, session_key, ordinal from 1 among the
-- session's present turns, started_at, ended_at, prompt, is_present, and the prompt's evidence).
CREATE OR REPLACE TEMP VIEW turn AS
SELECT
    s.turn_id, s.session_key, s.entry_key, s.event_id AS entry_event_id, s.is_present, s.position,
    CASE WHEN s.is_present THEN row_number() OVER (
        PARTITION BY s.session_key, s.is_present ORDER BY s.position, s.start_byte) END AS ordinal,
    s.occurred_at AS started_at, r.ended_at, r.record_count, p.text AS prompt,
    s.segment, s.start_byte, s.end_byte
FROM timeline AS s
JOIN (
    SELECT turn_id, max(occurred_at) AS ended_at, count(*) AS record_count
    FROM timeline WHERE turn_id IS NOT NULL GROUP BY turn_id
) AS r ON r.turn_id = s.turn_start
JOIN prompt AS p USING (session_key, entry_key, occurrence);
