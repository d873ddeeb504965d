-- Purpose: one node a file, or lines of one, that a session trusts at the entry it goes on from.
-- Columns: id, session, leaf, path (as read), lines (full or r:FIRST:LAST), served_hash, is_seen (every line was
--   shown), segment, start_byte, end_byte (of the read that made the trust)
SELECT
    read_scope_id(session_key, path, lines) AS id,
    session_key AS session,
    leaf,
    path,
    lines,
    served_hash,
    is_seen,
    segment,
    start_byte,
    end_byte
FROM present_read_scope
