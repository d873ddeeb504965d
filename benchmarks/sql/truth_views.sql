-- Purpose: what the statements beside this file share.
-- transcript_line: every line, or message, of every present transcript, each copy of it (document_id, session_key,
-- format, path, ordinal from 0, segment, byte_count without the newline).
CREATE OR REPLACE TEMP VIEW transcript_line AS
SELECT d.document_id, d.session_key, d.format, d.path, p.ordinal, p.segment,
    p.end_byte - p.start_byte - (d.format = 'claude' AND (d.ends_with_newline OR p.ordinal < d.line_count - 1))::INT
        AS byte_count
FROM present_document AS d
JOIN part AS p USING (document_id)
WHERE d.role = 'transcript' AND NOT d.is_missing;

-- entry_copy: every record in every copy of a transcript that holds it.
CREATE OR REPLACE TEMP VIEW entry_copy AS
SELECT l.document_id, l.path, l.ordinal, e.*
FROM transcript_line AS l
JOIN entry AS e ON e.session_key = l.session_key AND e.segment = l.segment AND e.occurrence = 0;

-- tool_call_copy, tool_result_copy, prompt_copy: the same of calls, answers and a person's prompts.
CREATE OR REPLACE TEMP VIEW tool_call_copy AS
SELECT c.*
FROM transcript_line AS l
JOIN tool_call AS c ON c.session_key = l.session_key AND c.segment = l.segment AND c.occurrence = 0;

CREATE OR REPLACE TEMP VIEW tool_result_copy AS
SELECT r.*
FROM transcript_line AS l
JOIN tool_result AS r ON r.session_key = l.session_key AND r.segment = l.segment AND r.occurrence = 0;

-- user_prompt: records of the user's role that are prompts (is_typed: a person typed the first block, and not images
-- alone).
CREATE OR REPLACE TEMP VIEW user_prompt AS
SELECT session_key, entry_key, segment, occurrence,
    arg_min(origin, block) = 'typed' AND max(length(text)) > 0 AS is_typed
FROM message
WHERE channel = 'prompt'
GROUP BY ALL;

CREATE OR REPLACE TEMP VIEW prompt_copy AS
SELECT m.*
FROM transcript_line AS l
JOIN user_prompt AS m ON m.session_key = l.session_key AND m.segment = l.segment AND m.occurrence = 0;

-- ancestor: commits that HEAD, or any reference to code, leads to (start: HEAD or all_code_refs, repository_id, oid).
CREATE OR REPLACE TEMP VIEW ancestor AS
WITH RECURSIVE reached(start, repository_id, oid) AS (
    SELECT DISTINCT 'HEAD', repository_id, commit_oid
    FROM present_reference WHERE name = 'HEAD' AND commit_oid IS NOT NULL
    UNION
    SELECT DISTINCT 'all_code_refs', repository_id, commit_oid
    FROM present_reference WHERE NOT starts_with(name, 'refs/heads/entire/') AND commit_oid IS NOT NULL
    UNION
    SELECT r.start, p.repository_id, p.parent_oid
    FROM reached AS r
    JOIN commit_parent AS p ON p.repository_id = r.repository_id AND p.commit_oid = r.oid
)
SELECT r.start, r.repository_id, r.oid
FROM reached AS r
SEMI JOIN "commit" AS c ON c.repository_id = r.repository_id AND c.oid = r.oid;

-- link: the checkpoints that those commits name (start, commit_oid, value, is_known, in_final_block).
CREATE OR REPLACE TEMP VIEW link AS
SELECT a.start, t.commit_oid, t.value, bool_or(c.in_final_block) AS in_final_block,
    t.value IN (SELECT checkpoint_key FROM present_checkpoint) AS is_known
FROM ancestor AS a
JOIN checkpoint_trailer AS t ON t.repository_id = a.repository_id AND t.commit_oid = a.oid
JOIN commit_trailer AS c ON c.event_id = t.event_id
GROUP BY a.start, t.commit_oid, t.value;
