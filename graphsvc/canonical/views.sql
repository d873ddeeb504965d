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

-- kept: events that left their source and stay in force, since nothing took their place (event_id).
CREATE OR REPLACE TEMP VIEW kept AS
SELECT target_event_id AS event_id
FROM tombstone
GROUP BY target_event_id
HAVING arg_max(state, seq) = 'kept';

-- present_*: events of a kind that their source still states.
CREATE OR REPLACE TEMP VIEW present_document AS SELECT * FROM document ANTI JOIN withdrawn USING (event_id);
CREATE OR REPLACE TEMP VIEW present_reference AS SELECT * FROM reference ANTI JOIN withdrawn USING (event_id);
CREATE OR REPLACE TEMP VIEW present_commit AS SELECT * FROM "commit" ANTI JOIN withdrawn USING (event_id);
CREATE OR REPLACE TEMP VIEW present_file_change AS
SELECT f.* FROM file_change AS f
SEMI JOIN (SELECT repository_id, oid AS commit_oid FROM present_commit) USING (repository_id, commit_oid);
CREATE OR REPLACE TEMP VIEW present_snapshot AS SELECT * FROM snapshot ANTI JOIN withdrawn USING (event_id);
CREATE OR REPLACE TEMP VIEW present_checkpoint AS SELECT * FROM checkpoint ANTI JOIN withdrawn USING (event_id);
CREATE OR REPLACE TEMP VIEW present_scip_document AS
SELECT * FROM scip_document ANTI JOIN withdrawn USING (event_id);
CREATE OR REPLACE TEMP VIEW present_checkpoint_session AS
SELECT * FROM checkpoint_session ANTI JOIN withdrawn USING (event_id);

-- present_plane_cohort: the scopes of plane stores as their files are now; present_plane_boundary: what these tell of.
CREATE OR REPLACE TEMP VIEW present_plane_cohort AS SELECT * FROM plane_cohort ANTI JOIN withdrawn USING (event_id);
CREATE OR REPLACE TEMP VIEW present_plane_boundary AS
SELECT b.* FROM plane_boundary AS b
SEMI JOIN (SELECT event_id AS cohort_id FROM present_plane_cohort) USING (cohort_id);

-- present_read_scope: what sessions trust by the present versions of their transcripts.
CREATE OR REPLACE TEMP VIEW present_read_scope AS SELECT * FROM read_scope ANTI JOIN withdrawn USING (event_id);

-- pi_transcript: the transcript of each session of the pi host (session_key, documents: those that it consists of, in
-- order). The host's own file counts before what checkpoints recorded of it, and of these the longest.
CREATE OR REPLACE TEMP VIEW pi_transcript AS
SELECT session_key, documents
FROM (
    SELECT session_key, checkpoint_key, list(document_id ORDER BY chunk, path, document_id) AS documents,
        sum(byte_count) AS byte_count
    FROM present_document
    WHERE format = 'pi' AND role = 'transcript' AND NOT is_missing AND session_key IS NOT NULL
    GROUP BY session_key, source_id, checkpoint_key, session_index, CASE WHEN checkpoint_key IS NULL THEN path END
)
QUALIFY row_number() OVER (
    PARTITION BY session_key ORDER BY checkpoint_key IS NOT NULL, byte_count DESC, checkpoint_key, documents
) = 1;

-- session_document: documents that hold a session's records, in the order in which they were written
-- (session_key, document_id, source_id, checkpoint_key, session_index, is_present, rank, file: the rank of the first
-- document of the same file). The rank counts the present documents first, so that it does not depend on what else the
-- store has seen, and among them the host's own files, which are whole where a checkpoint may have a slice.
CREATE OR REPLACE TEMP VIEW session_document AS
SELECT *, CASE WHEN checkpoint_key IS NULL THEN min(rank) OVER (PARTITION BY session_key, source_id, path, is_present)
    ELSE rank END AS file
FROM (
    SELECT
        d.session_key,
        d.document_id,
        d.source_id,
        d.path,
        d.checkpoint_key,
        d.session_index,
        w.event_id IS NULL AS is_present,
        row_number() OVER (
            PARTITION BY d.session_key
            ORDER BY w.event_id IS NOT NULL, d.checkpoint_key IS NOT NULL, s.created_at NULLS LAST, d.checkpoint_key,
                d.session_index, CASE WHEN d.checkpoint_key IS NULL THEN d.path END, d.chunk, d.path, d.content_id,
                d.document_id
        ) AS rank
    FROM document AS d
    LEFT JOIN withdrawn AS w USING (event_id)
    LEFT JOIN (
        SELECT source_id, checkpoint_key, session_index, min(occurred_at) AS created_at
        FROM present_checkpoint_session
        GROUP BY source_id, checkpoint_key, session_index
    ) AS s USING (source_id, checkpoint_key, session_index)
    WHERE d.role IN ('transcript', 'fallback_transcript', 'task_transcript', 'usage') AND NOT d.is_missing
        AND d.session_key IS NOT NULL
);

-- The views below are of one session each: every window and group of theirs begins with the session's key, so that
-- a filter on it reaches the tables.

-- record_place: where a session's records stand (session_key, segment, occurrence, position, file, is_present); the
-- position orders them by document and then by place in it.
CREATE OR REPLACE TEMP VIEW record_place AS
SELECT session_key, segment, occurrence, min(rank * 4294967296 + ordinal) AS position, min(file) AS file,
    bool_or(is_present) AS is_present
FROM (
    SELECT d.session_key, d.rank, d.file, d.is_present, p.segment, p.ordinal,
        row_number() OVER (PARTITION BY d.session_key, d.file, p.segment ORDER BY d.rank, p.ordinal) - 1 AS occurrence
    FROM session_document AS d
    JOIN part AS p USING (document_id)
)
GROUP BY session_key, segment, occurrence;

-- prompt: the text of each record that a person typed (session_key, entry_key, occurrence, event_id, text).
CREATE OR REPLACE TEMP VIEW prompt AS
SELECT session_key, entry_key, occurrence, min(event_id) AS event_id, arg_min(text, event_id) AS text
FROM message
WHERE channel = 'prompt' AND origin = 'typed'
GROUP BY session_key, entry_key, occurrence;

-- turn_start: records that begin a turn, because a person typed them (turn_id, session_key, entry_key, occurrence,
-- event_id, occurred_at, segment, start_byte, end_byte, prompt).
CREATE OR REPLACE TEMP VIEW turn_start AS
SELECT 'turn_' || substr(e.event_id, 7) AS turn_id, session_key, entry_key, occurrence, e.event_id, e.occurred_at,
    e.segment, e.start_byte, e.end_byte, p.text AS prompt
FROM prompt AS p
JOIN entry AS e USING (session_key, entry_key, occurrence)
WHERE NOT coalesce(e.is_sidechain, false);

-- timeline: every record of every session in order (event_id, session_key, entry_key, occurrence, entry_type, role,
-- model, occurred_at, segment, start_byte, end_byte, position, is_present, turn_start: the turn that it begins,
-- turn_id: the turn that it belongs to, null before the first typed prompt). Where copies of a record differ, as where
-- one was redacted, the present one of the first file counts, and in one file the last, which is the whole one.
CREATE OR REPLACE TEMP VIEW timeline AS
SELECT *, last_value(turn_start IGNORE NULLS) OVER (
        PARTITION BY session_key ORDER BY position, start_byte
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS turn_id
FROM (
    SELECT e.event_id, session_key, e.entry_key, occurrence, e.entry_type, e.role, e.model, e.occurred_at,
        segment, e.start_byte, e.end_byte, place.position, place.is_present, s.turn_id AS turn_start
    FROM entry AS e
    JOIN record_place AS place USING (session_key, segment, occurrence)
    LEFT JOIN turn_start AS s USING (session_key, event_id)
    -- Equal records that stand joined on one line have one place: both count.
    QUALIFY rank() OVER (
        PARTITION BY session_key, e.entry_key, occurrence
        ORDER BY NOT place.is_present, place.file, place.position DESC
    ) = 1
);

-- turn: a typed prompt and all that follows until the next (turn_id, session_key, ordinal from 1 among the
-- session's present turns, started_at, ended_at, prompt, is_present, and the prompt's evidence).
CREATE OR REPLACE TEMP VIEW turn AS
SELECT
    turn_id, session_key, s.entry_key, s.event_id AS entry_event_id, t.is_present, t.position,
    CASE WHEN t.is_present THEN row_number() OVER (
        PARTITION BY session_key, t.is_present ORDER BY t.position, s.start_byte) END AS ordinal,
    s.occurred_at AS started_at, t.ended_at, t.record_count, s.prompt, s.segment, s.start_byte, s.end_byte
FROM (
    SELECT session_key, turn_id, is_present, max(occurred_at) AS ended_at, count(*) AS record_count,
        any_value(position) FILTER (turn_start IS NOT NULL) AS position
    FROM timeline
    WHERE turn_id IS NOT NULL
    GROUP BY session_key, turn_id, is_present
) AS t
JOIN turn_start AS s USING (session_key, turn_id)
WHERE t.position IS NOT NULL;

-- rewound: runs of records that a session took back, or left on another branch of its tree, since it went on from before
-- them (session_key, after, before: positions around the run). A jump back that was itself left behind does not count.
CREATE OR REPLACE TEMP VIEW rewound AS
WITH stated AS (
    SELECT r.session_key, CASE WHEN r.is_open THEN 4611686018427387904 ELSE p.position END AS jump,
        CASE WHEN r.target_key IS NULL AND r.is_open THEN p.position - 1 WHEN r.target_key IS NULL THEN -1
            WHEN r.keeps_target THEN t.position ELSE t.position - 1 END AS back
    FROM rewind AS r
    JOIN record_place AS p USING (session_key, segment, occurrence)
    LEFT JOIN timeline AS t ON t.session_key = r.session_key AND t.entry_key = r.target_key AND t.is_present
    WHERE p.is_present AND r.turn_count IS NULL
),
-- Each entry of a tree names the one before it.
linked AS (
    SELECT c.session_key, c.position, p.position AS parent,
        lag(c.position) OVER (PARTITION BY c.session_key ORDER BY c.position, c.start_byte) AS previous
    FROM timeline AS c
    JOIN (SELECT session_key, event_id, parent_key FROM entry WHERE format = 'pi') AS e USING (session_key, event_id)
    LEFT JOIN timeline AS p ON p.session_key = c.session_key AND p.entry_key = e.parent_key AND p.is_present
    WHERE c.is_present
),
-- A prompt that goes on from the same record as an earlier one took its place.
asked AS (
    SELECT c.session_key, c.position, min(c.position) OVER (PARTITION BY c.session_key, e.parent_key) AS earliest
    FROM timeline AS c
    JOIN entry AS e USING (session_key, event_id)
    WHERE c.is_present AND c.turn_start IS NOT NULL AND e.format = 'claude' AND e.parent_key IS NOT NULL
),
-- A host that counts turns back goes on from where as many were left.
counted AS (
    SELECT session_key, position, is_turn, sum(step) OVER (PARTITION BY session_key ORDER BY position, start_byte) AS turns
    FROM (
        SELECT session_key, position, start_byte, 1 AS step, true AS is_turn FROM timeline
        WHERE is_present AND turn_start IS NOT NULL
            AND session_key IN (SELECT session_key FROM rewind WHERE turn_count IS NOT NULL)
        UNION ALL
        SELECT r.session_key, p.position, r.start_byte, -r.turn_count, false
        FROM rewind AS r
        JOIN record_place AS p USING (session_key, segment, occurrence)
        WHERE p.is_present AND r.turn_count IS NOT NULL
    )
),
jump AS (
    SELECT session_key, jump, back FROM stated WHERE back IS NOT NULL
    UNION ALL
    SELECT session_key, position, parent FROM linked WHERE parent < previous
    UNION ALL
    SELECT session_key, position, earliest - 1 FROM asked WHERE earliest < position
    UNION ALL
    SELECT r.session_key, r.position, max(t.position) - 1
    FROM counted AS r
    JOIN counted AS t ON t.session_key = r.session_key AND t.is_turn AND t.position < r.position
        AND t.turns - 1 = greatest(r.turns, 0)
    WHERE NOT r.is_turn
    GROUP BY r.session_key, r.position
),
-- From the last jump on, each time to the last one before the place that it went back to.
followed AS (
    SELECT session_key, list_reduce(
            list({'back': back, 'runs': [{'after': back, 'before': jump}]} ORDER BY jump DESC, back),
            lambda latest, earlier: CASE WHEN earlier.runs[1].before <= latest.back
                THEN {'back': earlier.back, 'runs': list_concat(latest.runs, earlier.runs)} ELSE latest END
        ).runs AS runs
    FROM jump
    GROUP BY session_key
)
SELECT session_key, run.after AS after, run.before AS before
FROM (SELECT session_key, unnest(runs) AS run FROM followed);

-- session_tool_call: each tool call once, with its result and its turn (session_key, call_key, parent_call, name,
-- path, command, description, writes, is_nested, occurred_at, is_present, position, turn_id, is_error, exit_code,
-- result_excerpt, answered_at, result_segment, result_start, result_end, event_id, segment, start_byte, end_byte).
-- Where copies of a record differ, the first present one counts.
CREATE OR REPLACE TEMP VIEW session_tool_call AS
WITH call AS (
    SELECT c.*, t.is_present, t.position, t.turn_id,
        row_number() OVER (
            PARTITION BY c.session_key, c.call_key
            ORDER BY c.is_nested, NOT t.is_present, t.position, c.start_byte, c.event_id
        ) AS preference
    FROM tool_call AS c
    JOIN timeline AS t
        ON t.session_key = c.session_key AND t.segment = c.segment
        AND t.start_byte <= c.start_byte AND c.end_byte <= t.end_byte
),
answer AS (
    SELECT r.*,
        row_number() OVER (
            PARTITION BY r.session_key, r.call_key
            ORDER BY r.is_nested, NOT p.is_present, p.position, r.start_byte, r.event_id
        ) AS preference
    FROM tool_result AS r
    JOIN record_place AS p ON p.session_key = r.session_key AND p.segment = r.segment AND p.occurrence = 0
)
SELECT
    c.session_key, c.call_key, c.parent_call, c.name, c.path, c.command, c.description, c.writes, c.is_nested,
    c.occurred_at, c.is_present, c.position, c.turn_id,
    a.is_error, a.exit_code, a.excerpt AS result_excerpt, a.occurred_at AS answered_at,
    a.segment AS result_segment, a.start_byte AS result_start, a.end_byte AS result_end,
    c.event_id, c.segment, c.start_byte, c.end_byte
FROM call AS c
LEFT JOIN answer AS a ON a.session_key = c.session_key AND a.call_key = c.call_key AND a.preference = 1
WHERE c.preference = 1;

-- message_usage: token counts of each present message of a model once, by its last record (session_key, message_key,
-- model, is_nested: used by a subagent, occurred_at, input_tokens, output_tokens, cache_creation_tokens,
-- cache_read_tokens). A record without a message id is a message of its own. A message that was copied into another
-- session counts in one of them, so this view is not of one session each. What a host tells its screen counts where its
-- messages say nothing.
CREATE OR REPLACE TEMP VIEW message_usage AS
SELECT u.session_key, u.message_key, u.model, u.scope = 'nested_entry' AS is_nested, u.occurred_at,
    u.input_tokens, u.output_tokens, u.cache_creation_tokens, u.cache_read_tokens
FROM token_usage AS u
JOIN record_place AS p USING (session_key, segment, occurrence)
WHERE p.is_present AND (
    u.scope IN ('entry', 'nested_entry')
    OR u.scope = 'screen' AND u.session_key NOT IN (SELECT session_key FROM token_usage WHERE scope = 'entry'))
QUALIFY row_number() OVER (
    PARTITION BY coalesce(u.message_key, u.event_id) ORDER BY p.position DESC, u.start_byte DESC, u.event_id
) = 1;

-- tracking_rules: the newest rules by which the changes of symbols of each repository are known (repository_id, rules).
CREATE OR REPLACE TEMP VIEW tracking_rules AS
SELECT repository_id, arg_max(rules, seq) AS rules FROM tracked_commit GROUP BY repository_id;

-- present_symbol_change: what the commits of today's history did to symbols, by the newest rules.
CREATE OR REPLACE TEMP VIEW present_symbol_change AS
SELECT s.*, c.committed_at
FROM symbol_change AS s
SEMI JOIN tracking_rules USING (repository_id, rules)
JOIN present_commit AS c ON c.repository_id = s.repository_id AND c.oid = s.commit_oid;

-- untracked_commit: commits of today's history whose changes of symbols are not known (repository_id, oid), of
-- repositories that are tracked.
CREATE OR REPLACE TEMP VIEW untracked_commit AS
SELECT c.repository_id, c.oid
FROM present_commit AS c
SEMI JOIN tracking_rules USING (repository_id)
ANTI JOIN (
    SELECT repository_id, commit_oid AS oid FROM tracked_commit SEMI JOIN tracking_rules USING (repository_id, rules)
) USING (repository_id, oid);

-- checkpoint_trailer: the checkpoints that commit messages name (repository_id, commit_oid, value, evidence).
CREATE OR REPLACE TEMP VIEW checkpoint_trailer AS
SELECT repository_id, commit_oid, value, event_id, segment, start_byte, end_byte
FROM commit_trailer
WHERE lower(key) = 'entire-checkpoint' AND regexp_full_match(value, '[0-9a-f]{12}|[0-9A-HJKMNP-TV-Za-z]{26}');

-- known_file: every path that a repository had in a present commit or an indexed snapshot (repository_id, path).
CREATE OR REPLACE TEMP VIEW known_file AS
SELECT repository_id, path FROM present_file_change
UNION
SELECT repository_id, old_path FROM present_file_change WHERE old_path IS NOT NULL
UNION
SELECT e.repository_id, e.path FROM tree_entry AS e
SEMI JOIN present_snapshot AS s USING (repository_id, tree_oid)
WHERE e.entry_type <> 'submodule';

-- repository_name: what people call the repositories of registered sources (repository_id, name).
CREATE OR REPLACE TEMP VIEW repository_name AS
SELECT r.repository_id, min(s.name) AS name
FROM repository AS r
JOIN source AS s USING (source_id)
GROUP BY r.repository_id;

-- captured: the sessions that each checkpoint recorded (repository_id, checkpoint_key, session_key, session_index:
-- the lowest directory number, is_present).
CREATE OR REPLACE TEMP VIEW captured AS
SELECT c.repository_id, c.checkpoint_key, c.session_key,
    coalesce(min(c.session_index) FILTER (w.event_id IS NULL), min(c.session_index)) AS session_index,
    bool_or(w.event_id IS NULL) AS is_present
FROM checkpoint_session AS c
LEFT JOIN withdrawn AS w USING (event_id)
GROUP BY c.repository_id, c.checkpoint_key, c.session_key;

-- session_repository: the repositories of a session (session_key, repository_id, is_present): those whose checkpoints
-- recorded it, and those that its working directory lay in.
CREATE OR REPLACE TEMP VIEW session_repository AS
SELECT session_key, repository_id, bool_or(is_present) AS is_present
FROM (
    SELECT session_key, repository_id, is_present FROM captured
    UNION ALL
    SELECT session_key, repository_id, session_key IN (SELECT session_key FROM session_document WHERE is_present)
    FROM session_workplace
)
GROUP BY session_key, repository_id;

-- session_agent: the agent of each session (session_key, agent), by its checkpoints, else by the host that has it.
CREATE OR REPLACE TEMP VIEW session_agent AS
SELECT session_key, coalesce(arg_min(agent, (is_host, occurred_at, event_id)), min(agent)) AS agent
FROM (
    SELECT session_key, agent, false AS is_host, occurred_at, event_id FROM present_checkpoint_session
    WHERE agent IS NOT NULL
    UNION ALL
    SELECT session_key, agent, true, occurred_at, event_id FROM host_session
)
GROUP BY session_key;

-- session_continuation: sessions that go on from an earlier one (session_key: the later, earlier_key, relation, origin,
-- confidence): as a record states it, or because both have records of the same identifier, which hosts copy when a
-- session is resumed or forked into another file. Of those the one whose own records began later goes on.
CREATE OR REPLACE TEMP VIEW session_continuation AS
WITH stated AS (
    SELECT DISTINCT child_key AS session_key, parent_key AS earlier_key, relation
    FROM session_link WHERE relation IN ('fork', 'continues')
),
keyed AS (
    SELECT DISTINCT session_key, entry_key, occurred_at
    FROM entry WHERE format IN ('claude', 'pi', 'copilot') AND NOT coalesce(is_sidechain, false)
        AND occurred_at IS NOT NULL AND len(entry_key) < 64
),
repeated AS (
    SELECT entry_key FROM keyed GROUP BY entry_key HAVING count(DISTINCT session_key) > 1
),
pair AS (
    SELECT DISTINCT a.session_key AS one, b.session_key AS other
    FROM keyed AS a SEMI JOIN repeated USING (entry_key)
    JOIN keyed AS b ON b.entry_key = a.entry_key AND b.session_key <> a.session_key
),
own AS (
    SELECT k.session_key, min(k.occurred_at) AS began_at
    FROM keyed AS k ANTI JOIN repeated USING (entry_key)
    GROUP BY k.session_key
),
copied AS (
    SELECT p.one AS session_key, p.other AS earlier_key
    FROM pair AS p
    LEFT JOIN own AS later ON later.session_key = p.one
    LEFT JOIN own AS earlier ON earlier.session_key = p.other
    WHERE (coalesce(later.began_at, '-infinity'::TIMESTAMP), p.one)
        > (coalesce(earlier.began_at, '-infinity'::TIMESTAMP), p.other)
)
SELECT session_key, earlier_key, relation, 'stated' AS origin, 1.0::DOUBLE AS confidence FROM stated
UNION ALL
SELECT session_key, earlier_key, 'continues', 'copied_records', 0.9::DOUBLE
FROM copied ANTI JOIN stated USING (session_key, earlier_key);

-- session_spawn: sessions that another one started (session_key: the child, parent_key, call_key: the call that
-- started it, null where no record names it, is_present: a record that says so is in a present document). A call that a resumed session copied started the child of the first one.
CREATE OR REPLACE TEMP VIEW session_spawn AS
SELECT session_key, parent_key, min(call_key) AS call_key, coalesce(bool_or(is_present), true) AS is_present
FROM (
    SELECT child_key AS session_key, parent_key, call_key, p.is_present
    FROM session_link
    LEFT JOIN (
        SELECT segment, bool_or(is_present) AS is_present FROM record_place GROUP BY segment
    ) AS p USING (segment)
    WHERE relation = 'subagent'
    QUALIFY rank() OVER (
        PARTITION BY split_part(child_key, '@', 1), coalesce(call_key, event_id)
        ORDER BY child_key NOT IN (SELECT session_key FROM host_session)
    ) = 1
)
GROUP BY session_key, parent_key;

-- session_digest: digest of what each session holds now (session_key, content_digest), the same in every store that has
-- the same records of it.
CREATE OR REPLACE TEMP VIEW session_digest AS
SELECT session_key, sha256(string_agg(segment, chr(10) ORDER BY segment)) AS content_digest
FROM (
    SELECT DISTINCT d.session_key, p.segment
    FROM session_document AS d
    JOIN part AS p USING (document_id)
    WHERE d.is_present
)
GROUP BY session_key;

-- session_tokens: tokens of each session, every message of a model counted once (session_key, input_tokens,
-- output_tokens, cache_creation_tokens, cache_read_tokens). Where a host counts the session so far, its steps are added;
-- a step back begins a new count, and counts that a session has in common with the one it goes on from are that one's.
CREATE OR REPLACE TEMP VIEW session_tokens AS
WITH counted AS (
    SELECT session_key, input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens FROM message_usage
),
running AS (
    SELECT DISTINCT u.session_key, u.input_tokens, u.output_tokens, u.cache_creation_tokens,
        u.cache_read_tokens, p.position, u.start_byte
    FROM token_usage AS u
    JOIN record_place AS p USING (session_key, segment, occurrence)
    WHERE u.scope = 'running_total' AND p.is_present
),
step AS (
    SELECT session_key, input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens,
        input_tokens - coalesce(lag(input_tokens) OVER follows, 0) AS more_input,
        output_tokens - coalesce(lag(output_tokens) OVER follows, 0) AS more_output,
        cache_creation_tokens - coalesce(lag(cache_creation_tokens) OVER follows, 0) AS more_creation,
        cache_read_tokens - coalesce(lag(cache_read_tokens) OVER follows, 0) AS more_read
    FROM running
    WINDOW follows AS (PARTITION BY session_key ORDER BY position, start_byte)
),
own AS (
    SELECT s.* FROM step AS s
    WHERE NOT EXISTS (
        SELECT 1 FROM session_continuation AS c
        JOIN running AS e ON e.session_key = c.earlier_key
        WHERE c.session_key = s.session_key AND e.input_tokens = s.input_tokens
            AND e.output_tokens = s.output_tokens AND e.cache_read_tokens IS NOT DISTINCT FROM s.cache_read_tokens
    )
),
stepped AS (
    SELECT session_key,
        CASE WHEN more_input < 0 OR more_output < 0 THEN input_tokens ELSE more_input END AS input_tokens,
        CASE WHEN more_input < 0 OR more_output < 0 THEN output_tokens ELSE more_output END AS output_tokens,
        CASE WHEN more_input < 0 OR more_output < 0 THEN cache_creation_tokens ELSE more_creation END
            AS cache_creation_tokens,
        CASE WHEN more_input < 0 OR more_output < 0 THEN cache_read_tokens ELSE more_read END AS cache_read_tokens
    FROM own
)
SELECT session_key, sum(input_tokens)::BIGINT AS input_tokens, sum(output_tokens)::BIGINT AS output_tokens,
    sum(cache_creation_tokens)::BIGINT AS cache_creation_tokens, sum(cache_read_tokens)::BIGINT AS cache_read_tokens
FROM (FROM counted UNION ALL FROM stepped)
GROUP BY session_key;

-- snapshot_file: files of the snapshots that are indexed now (repository_id, path, oid).
CREATE OR REPLACE TEMP VIEW snapshot_file AS
SELECT DISTINCT e.repository_id, e.path, e.oid
FROM tree_entry AS e
JOIN present_snapshot AS s USING (repository_id, tree_oid)
WHERE e.entry_type <> 'submodule';

-- indexed_path: paths of the snapshots that are indexed now (repository_id, path).
CREATE OR REPLACE TEMP VIEW indexed_path AS
SELECT DISTINCT repository_id, path FROM snapshot_file;

-- path_match: the repository file that a recorded path means (repository_id, recorded, cwd, path, origin,
-- confidence). Below the working directory it is certain; else the longest known path that it ends with, because
-- sessions run in other clones and worktrees than the one at hand. A relative path is one below the working directory.
CREATE OR REPLACE TEMP VIEW path_match AS
WITH recorded AS (
    SELECT DISTINCT r.repository_id, f.path AS recorded, f.cwd,
        CASE WHEN f.cwd IS NULL OR regexp_matches(f.path, '^([A-Za-z]:)?[/\\]') THEN replace(f.path, chr(92), '/')
            ELSE replace(f.cwd || '/' || f.path, chr(92), '/') END AS slashed
    FROM file_touch AS f
    JOIN session_repository AS r USING (session_key)
    WHERE f.call_key IS NOT NULL
),
suffix AS (
    SELECT *, string_split(slashed, '/') AS names, unnest(range(1, len(string_split(slashed, '/')) + 1)) AS first
    FROM recorded
),
candidate AS (
    SELECT s.repository_id, s.recorded, s.cwd, k.path, len(s.names) - s.first + 1 AS depth,
        s.slashed = k.path
            OR starts_with(s.slashed, replace(s.cwd, chr(92), '/') || '/') AND substr(s.slashed, len(s.cwd) + 2) = k.path
            AS is_below_cwd
    FROM suffix AS s
    JOIN known_file AS k ON k.repository_id = s.repository_id
        AND k.path = array_to_string(list_slice(s.names, s.first, len(s.names)), '/')
)
SELECT repository_id, recorded, cwd, path,
    CASE WHEN is_below_cwd THEN 'cwd' ELSE 'path_suffix' END AS origin,
    CASE WHEN is_below_cwd THEN 1.0 WHEN depth > 1 THEN 0.9 ELSE 0.5 END::DOUBLE AS confidence
FROM candidate
QUALIFY row_number() OVER (PARTITION BY repository_id, recorded, cwd ORDER BY is_below_cwd DESC, depth DESC) = 1;

-- touched_file: repository files that tool calls read or wrote (session_key, call_key, access, repository_id,
-- path, origin: that of path_match, or command where only the words of a shell command say so, confidence,
-- is_captured: a present checkpoint of the repository has the session, is_present: the record that says so is in a
-- present document, occurred_at, segment, start_byte, end_byte).
CREATE OR REPLACE TEMP VIEW touched_file AS
SELECT f.session_key, f.call_key, f.access, m.repository_id, m.path,
    CASE WHEN f.origin = 'command' THEN 'command' ELSE m.origin END AS origin,
    m.confidence * CASE WHEN f.origin = 'command' THEN 0.6 ELSE 1.0 END AS confidence,
    r.is_present AS is_captured, p.is_present, f.occurred_at, f.segment, f.start_byte, f.end_byte
FROM file_touch AS f
JOIN path_match AS m ON m.recorded = f.path AND m.cwd IS NOT DISTINCT FROM f.cwd
JOIN session_repository AS r ON r.session_key = f.session_key AND r.repository_id = m.repository_id
JOIN record_place AS p ON p.session_key = f.session_key AND p.segment = f.segment AND p.occurrence = 0
WHERE f.call_key IS NOT NULL;

-- turn_word: paths and names of code in what people typed and models answered, each once a turn (turn_id, session_key,
-- word, is_marked: it is marked as code, or called, in that text; is_typed: a person typed it, is_present, position of the
-- first record that has it). A word counts that is marked, or written as prose is not: with a capital, a point, a slash or
-- an underscore inside of it.
CREATE OR REPLACE TEMP VIEW turn_word AS
WITH said AS (
    SELECT t.turn_id, t.session_key, m.origin = 'typed' AS is_typed, t.is_present, t.position,
        unnest(list_distinct(regexp_extract_all(m.text,
            '`[\pL\pN_.]+(?:\(\))?`|[\pL\pN_-]*(?:[./_]|[\p{Ll}\pN]\p{Lu})[\pL\pN_./-]*\(?|[\pL\pN_]+\('
        ))) AS written
    FROM message AS m
    JOIN timeline AS t USING (session_key, entry_key, occurrence, segment)
    WHERE t.turn_id IS NOT NULL AND NOT m.is_nested
        AND (m.channel = 'prompt' AND m.origin = 'typed' OR m.channel = 'text' AND m.role = 'assistant')
),
trimmed AS (
    SELECT *, rtrim(ltrim(written, '`'), '`().-/') AS word, starts_with(written, '`') OR ends_with(written, '(') AS is_code
    FROM said
)
SELECT turn_id, any_value(session_key) AS session_key, word, bool_or(is_code) AS is_marked, bool_or(is_typed) AS is_typed,
    bool_or(is_present) AS is_present, min(position) AS position
FROM trimmed
WHERE len(word) > 2 AND regexp_matches(word, '\pL')
    AND (is_code OR regexp_matches(word, '[\p{Ll}\pN]\p{Lu}|[\pL\pN][./_][\pL\pN]'))
GROUP BY turn_id, word;

-- word_place: the records that have words of `turn_word` first (turn_id, position, segment, start_byte, end_byte).
CREATE OR REPLACE TEMP VIEW word_place AS
SELECT turn_id, position, segment, start_byte, end_byte
FROM timeline
SEMI JOIN turn_word USING (turn_id, position)
QUALIFY row_number() OVER (PARTITION BY turn_id, position ORDER BY start_byte, segment) = 1;

-- edited_place: symbols that an edit of a tool call fell in, as the tool's answer has them (session_key, call_key,
-- repository_id, path, confidence of the path, language, descriptor, is_innermost: no other symbol inside of it was edited,
-- is_present, and the record with the answer). Of an answer that several versions of the extractor have seen, those of the
-- last.
CREATE OR REPLACE TEMP VIEW edited_place AS
SELECT e.session_key, e.call_key, t.repository_id, t.path, t.confidence, e.language, e.descriptor, e.is_innermost,
    p.is_present AND t.is_captured AS is_present, e.segment, e.start_byte, e.end_byte
FROM edited_symbol AS e
JOIN touched_file AS t ON t.session_key = e.session_key AND t.call_key = e.call_key AND t.access = 'write'
    AND ends_with('/' || replace(e.path, chr(92), '/'), '/' || regexp_extract(t.path, '[^/]*$'))
JOIN record_place AS p ON p.session_key = e.session_key AND p.segment = e.segment AND p.occurrence = e.occurrence
QUALIFY rank() OVER (PARTITION BY e.result_event_id ORDER BY len(e.extractor) DESC, e.extractor DESC) = 1;

-- named_symbol: the symbols of the indexed snapshots with all that stays when a body is edited (repository_id, symbol_id,
-- parent_id, path, language, package, descriptor, disambiguator, kind, name); made of what code resolution gives.
CREATE OR REPLACE TEMP VIEW named_symbol AS
SELECT repository_id, symbol_id, parent_id, path, language, package, descriptor, disambiguator, kind, name
FROM code_symbol;

-- any_session: every session that the store has records or a recording of, now or before (session_key).
CREATE OR REPLACE TEMP VIEW any_session AS
SELECT session_key FROM entry
UNION
SELECT session_key FROM present_checkpoint_session
UNION
SELECT session_key FROM host_session;

-- session_time: when sessions began and ended, by their present records (session_key, started_at, ended_at), and when
-- they were first recorded by a checkpoint (created_at).
CREATE OR REPLACE TEMP VIEW session_time AS
WITH gone AS (
    SELECT d.session_key, p.segment
    FROM session_document AS d
    SEMI JOIN (SELECT session_key FROM session_document WHERE NOT is_present) AS partly USING (session_key)
    JOIN part AS p USING (document_id)
    GROUP BY d.session_key, p.segment
    HAVING NOT bool_or(d.is_present)
),
recorded AS (
    SELECT session_key, min(occurred_at) AS started_at, max(occurred_at) AS ended_at
    FROM entry ANTI JOIN gone USING (session_key, segment)
    GROUP BY session_key
),
captured_at AS (
    SELECT session_key, min(occurred_at) AS created_at FROM present_checkpoint_session GROUP BY session_key
)
SELECT session_key, started_at, ended_at, created_at
FROM captured_at FULL JOIN recorded USING (session_key);
