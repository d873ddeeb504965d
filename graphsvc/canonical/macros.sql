-- Purpose: functions that every statement over the canonical store can use.
-- Identities are computed as in graphsvc/ids.py: a prefix and 128 bits of SHA-256 over the prefix and the key's
-- parts, joined by U+001F.
CREATE OR REPLACE TEMP MACRO derive1(prefix, a) AS
    prefix || '_' || left(sha256(prefix || chr(31) || a), 32);
CREATE OR REPLACE TEMP MACRO derive2(prefix, a, b) AS
    prefix || '_' || left(sha256(prefix || chr(31) || a || chr(31) || b), 32);
CREATE OR REPLACE TEMP MACRO derive3(prefix, a, b, c) AS
    prefix || '_' || left(sha256(prefix || chr(31) || a || chr(31) || b || chr(31) || c), 32);
CREATE OR REPLACE TEMP MACRO derive4(prefix, a, b, c, d) AS
    prefix || '_' || left(sha256(prefix || chr(31) || a || chr(31) || b || chr(31) || c || chr(31) || d), 32);
CREATE OR REPLACE TEMP MACRO commit_id(repository, oid) AS derive2('commit', repository, oid);
CREATE OR REPLACE TEMP MACRO file_id(repository, path) AS derive2('file', repository, path);
CREATE OR REPLACE TEMP MACRO checkpoint_id(repository, checkpoint) AS derive2('checkpoint', repository, checkpoint);
CREATE OR REPLACE TEMP MACRO session_id(session) AS derive1('session', session);
CREATE OR REPLACE TEMP MACRO tool_call_id(session, call) AS derive2('toolcall', session_id(session), call);
CREATE OR REPLACE TEMP MACRO reference_id(repository, name) AS derive2('reference', repository, name);
CREATE OR REPLACE TEMP MACRO plane_scope_id(source, location) AS derive2('planescope', source, location);
CREATE OR REPLACE TEMP MACRO boundary_node_id(source, boundary, position, parent) AS
    derive4('boundary', source, sha256(boundary), position::VARCHAR, coalesce(sha256(parent), ''));
CREATE OR REPLACE TEMP MACRO plane_item_id(source, location, plane, name) AS
    derive4('planeitem', source, location, plane, sha256(name));
CREATE OR REPLACE TEMP MACRO read_scope_id(session, path, lines) AS
    derive3('readscope', sha256(session), sha256(path), lines);
CREATE OR REPLACE TEMP MACRO is_test_path(path) AS
    regexp_matches(path, '(^|/)(tests?|testdata|__tests__|spec)/|(^|/)(test_[^/]*|[^/]*_test\.[a-z]+|conftest\.py|[^/]*\.(test|spec)\.[a-z]+|[^/]*Tests?\.java)$');
-- by_bot: whether the author of a commit is a program, as forges mark them.
CREATE OR REPLACE TEMP MACRO by_bot(name, email) AS contains(lower(name || email), '[bot]');
