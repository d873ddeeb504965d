"""What can be found by its words: one SQL file a kind of evidence, over the events and the projection's tables.

Every file gives the columns kind, key (an event's id), subject, session, turn, repository, path, title, agent,
tool, names (texts), occurred_at, is_present, segment, start_byte, end_byte, form (json: a record of a transcript;
commit: a commit object; plain; none: bytes that are no text), text (what the evidence says where an event states
it, else null), is_spoken (it is part of the conversation itself), position (place in the session), ended_at (since
when it no longer holds, null for never), is_failed (it is what a tool says of a failure) and is_callable (it is a
function or method).
"""
