"""The event kinds: the single declaration that tables, digests, the schema fingerprint and docs derive from.

Every event has the envelope columns and the columns of its kind. Text is UTF-8; bytes of a path or message
that are not UTF-8 appear as ``\\xNN`` while the evidence span keeps them exactly. Times are UTC microseconds
since 1970; a time that the source does not state is null.

>>> KINDS["commit_parent"].names
('repository_id', 'commit_oid', 'parent_oid', 'position')
>>> len(schema_fingerprint())
64
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

__all__ = ["DERIVED", "ENVELOPE", "KINDS", "LEDGER", "Column", "Kind", "schema_fingerprint"]

ColumnType = Literal["text", "long_text", "integer", "number", "flag", "time", "texts", "bytes"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its type and what it means.

    ``long_text`` is text that is stored compressed; ``texts`` is a list of texts; ``flag`` is a boolean.
    """

    name: str
    type: ColumnType
    meaning: str


@dataclass(frozen=True)
class Kind:
    """One kind of event: its table's name, what one row states, and its own columns."""

    name: str
    meaning: str
    columns: tuple[Column, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the kind's own columns, in order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def name_set(self) -> frozenset[str]:
        """The same names, for look-ups."""
        return frozenset(self.names)

    @cached_property
    def all_columns(self) -> tuple[Column, ...]:
        """Envelope columns, then the kind's own."""
        return ENVELOPE + self.columns


def _columns(declarations: str) -> tuple[Column, ...]:
    """Read one column a line: name, type, meaning."""
    columns = []
    for line in declarations.strip().splitlines():
        name, type_, meaning = line.split(maxsplit=2)
        columns.append(Column(name, type_, meaning))  # type: ignore[arg-type]
    return tuple(columns)


def _kind(name: str, meaning: str, declarations: str) -> Kind:
    return Kind(name, meaning, _columns(declarations))


ENVELOPE = _columns("""
    seq         integer  position in the store's one gap-free order, assigned inside the commit
    event_id    text     identity of the event: the same statement has the same one anywhere
    source_id   text     the source that states it
    subject     text     identity of what it is about
    occurred_at time     when it happened, by the source's own word
    segment     text     SHA-256 of the segment that holds its bytes; null only for a fault without bytes
    start_byte  integer  start of the evidence in the segment
    end_byte    integer  end of the evidence in the segment, exclusive
""")

_GIT = (
    _kind(
        "repository",
        "A git repository, by the root commit of its main line.",
        """
        repository_id text repository identity
        root_oid      text object id of the root commit of the first-parent line
        object_format text sha1 or sha256
        """,
    ),
    _kind(
        "reference",
        "A reference and the object that it pointed at when read.",
        """
        repository_id   text repository identity
        name            text full name, for example refs/heads/main, or HEAD
        reference_kind  text branch, tag, remote, head or other
        target_oid      text object that it points at
        target_type     text commit, tag, tree or blob
        commit_oid      text commit that it leads to once tags are peeled, null where it leads to none
        symbolic_target text name of the reference that it is an alias of, null where it is none
        """,
    ),
    _kind(
        "commit",
        "A commit object; its evidence is the object's own bytes.",
        """
        repository_id   text      repository identity
        oid             text      object id
        tree_oid        text      root tree
        author_name     text      as written in the commit
        author_email    text      as written in the commit
        authored_at     time      author time
        author_offset   integer   author's offset from UTC in minutes
        committer_name  text      as written in the commit
        committer_email text      as written in the commit
        committed_at    time      committer time
        committer_offset integer  committer's offset from UTC in minutes
        title           text      first paragraph of the message on one line
        message         long_text whole message
        encoding        text      encoding that the commit declares, null for UTF-8
        parent_count    integer   number of parents
        is_signed       flag      it carries a signature
        """,
    ),
    _kind(
        "commit_parent",
        "One parent of a commit.",
        """
        repository_id text    repository identity
        commit_oid    text    the commit
        parent_oid    text    its parent
        position      integer 0 for the first parent
        """,
    ),
    _kind(
        "commit_trailer",
        "A trailer, found anywhere in a commit's message.",
        """
        repository_id text    repository identity
        commit_oid    text    the commit
        key           text    key as written
        value         text    value on one line
        position      integer ordinal among the commit's trailers
        in_final_block flag   it stands in the last paragraph, where git's own parser sees it
        """,
    ),
    _kind(
        "file_change",
        "A file that a commit changed against its first parent, or a merge against all of its parents.",
        """
        repository_id text    repository identity
        commit_oid    text    the commit
        status        text    A, M, D, R, C or T
        path          text    path after the commit (before it for D)
        old_path      text    path before a rename or copy, else null
        mode          text    octal mode after
        old_mode      text    octal mode before
        blob_oid      text    object after, null for D
        old_blob_oid  text    object before, null for A
        similarity    integer percent for R and C, else null
        is_merge      flag    it belongs to a merge and differs from every parent
        """,
    ),
    _kind(
        "snapshot",
        "A commit whose files are indexed, and the reference that asked for it.",
        """
        repository_id text repository identity
        reference     text full name of the reference, or the commit itself
        commit_oid    text the commit
        tree_oid      text its root tree
        """,
    ),
    _kind(
        "tree_entry",
        "A file of an indexed root tree.",
        """
        repository_id text    repository identity
        tree_oid      text    root tree
        path          text    path from the root
        mode          text    octal mode
        entry_type    text    file, executable, symlink or submodule
        oid           text    blob, or the commit of a submodule
        """,
    ),
)

_CODE = (
    _kind(
        "source_file",
        "What became of a file of an indexed snapshot; its evidence is the blob, or its tree entry if not read.",
        """
        repository_id text      repository identity
        path          text      path from the root
        blob_oid      text      the blob
        extractor     text      extractor and grammar version
        language      text      language that it was read as, null where none is known
        status        text      parsed, partial (syntax errors), manifest, skipped or failed
        reason        text      why it is not wholly parsed, else null
        byte_count    integer   size in bytes, null where it was not read
        line_count    integer   number of lines, null where it was not read
        error_count   integer   syntax errors that the parser recovered from, null where it was not parsed
        """,
    ),
    _kind(
        "binding_facts",
        "What resolution needs to know of a blob besides its symbols and references; see loaders/resolution.",
        """
        repository_id text      repository identity
        blob_oid      text      the blob
        language      text      language that it was read as
        extractor     text      extractor and grammar version
        error_count   integer   syntax errors that the parser recovered from
        facts         long_text JSON array of facts
        """,
    ),
    _kind(
        "scip_document",
        "What a SCIP index says of a blob under a path; its evidence is the document's message in the index.",
        """
        repository_id   text      repository identity
        path            text      path of the file
        blob_oid        text      the blob, in which the names lie where the index says
        tool            text      indexer and its version
        symbols         long_text JSON array of the index's names of symbols
        occurrences     long_text JSON array of [start, end, line, position among the symbols, is definition]
        implementations long_text JSON array of [position of a symbol, position of what it implements]
        """,
    ),
    _kind(
        "symbol",
        "A definition in a blob; its evidence is the whole definition.",
        """
        repository_id  text    repository identity
        blob_oid       text    the blob
        language       text    language
        extractor      text    extractor and grammar version
        ordinal        integer position among the blob's symbols, in source order
        parent_ordinal integer symbol that encloses it, -1 at top level
        symbol_kind    text    function, method, class, interface, struct, enum, field, constant, ...
        name           text    its name, empty for an anonymous one
        descriptor     text    SCIP descriptor chain inside the file
        overload       integer position among the blob's symbols with the same descriptor
        disambiguator  text    what tells it from those, empty where there is none
        signature      text    declaration without its body, on one line
        name_start     integer start of the name in the blob, in bytes
        name_end       integer end of the name
        body_start     integer start of the body, null without one
        body_end       integer end of the body
        doc_start      integer start of its documentation, null without one
        doc_end        integer end of its documentation
        start_line     integer first line, from 1
        name_line      integer line of its name
        end_line       integer last line
        body_hash      text    digest of the definition
        blank_hash     text    the same with its name blanked: equal for a renamed copy
        is_exported    flag    visible outside its module, by the language's own rule
        decorators     texts   decorators or annotations, without the marker
        """,
    ),
    _kind(
        "symbol_reference",
        "A use of a name in a blob: a call, a type, a base class, a value, or a special method that a statement or"
        " operator calls; its evidence is the whole expression.",
        """
        repository_id  text    repository identity
        blob_oid       text    the blob
        language       text    language
        extractor      text    extractor and grammar version
        ordinal        integer position among the blob's references
        scope_ordinal  integer symbol that encloses it, -1 at top level
        reference_kind text    call, type, inherit, read or special
        name           text    last name of the expression
        receiver       text    text before the last name, empty where there is none
        line           integer line of the last name, from 1
        """,
    ),
    _kind(
        "import_binding",
        "A name that an import brings into a blob; its evidence is the clause.",
        """
        repository_id text    repository identity
        blob_oid      text    the blob
        language      text    language
        extractor     text    extractor and grammar version
        ordinal       integer position among the blob's imports
        scope_ordinal integer symbol that encloses it, -1 at top level
        module        text    module as written, without leading dots
        imported_name text    name taken out of the module, empty for the module itself
        local_name    text    name that it gets here, empty for none
        level         integer leading dots of a relative import
        is_star       flag    all exported names are bound
        line          integer line, from 1
        """,
    ),
    _kind(
        "tracked_commit",
        "A commit whose changes of symbols are known; its evidence is the commit.",
        """
        repository_id text    repository identity
        commit_oid    text    the commit
        rules         text    version of the extractor and of the comparison
        file_count    integer files that were compared
        unknown_count integer files whose symbols before or after are unknown, so that nothing is said of them
        """,
    ),
    _kind(
        "symbol_change",
        "What a commit did to a symbol; its evidence is the record of the file's change.",
        """
        repository_id     text    repository identity
        commit_oid        text    the commit
        rules             text    version of the extractor and of the comparison
        change            text    added, removed, changed, renamed (perhaps elsewhere) or moved (keeping its name)
        language          text    language of the file
        symbol_kind       text    function, method, class, ...
        name              text    its name after the commit, or before where it was removed
        path              text    path of its file then
        descriptor        text    SCIP descriptor chain inside the file
        disambiguator     text    what tells it from others of the same descriptor, empty where there is none
        start_line        integer first line of its definition then
        end_line          integer last line
        blob_oid          text    blob of the file then
        old_name          text    name before, where it was renamed or moved, else null
        old_path          text    path before, where it was renamed or moved, else null
        old_descriptor    text    descriptor chain before, where it was renamed or moved, else null
        old_disambiguator text    disambiguator before, where it was renamed or moved, else null
        is_signature_changed flag it is declared in another way, its own name aside
        is_text_changed   flag    its definition reads another way, its own name aside
        origin            text    rule that says that both are one symbol, null where it was added or removed
        confidence        number  0 to 1
        """,
    ),
)

_SESSIONS = (
    _kind(
        "checkpoint",
        "A checkpoint's root metadata.",
        """
        repository_id     text    repository identity
        checkpoint_key    text    the id that commits name
        layout            text    branch, reference or legacy
        strategy          text    as recorded
        branch            text    code branch, as recorded
        cli_version       text    as recorded
        checkpoints_count integer prompts or steps, as recorded
        files_touched     texts   repository paths, as recorded
        listed_sessions   integer entries of sessions[]
        fields            texts   top-level keys that the metadata has
        """,
    ),
    _kind(
        "checkpoint_session",
        "One session directory of a checkpoint, by its index.",
        """
        repository_id     text    repository identity
        checkpoint_key    text    the checkpoint
        session_index     integer number of the directory
        session_key       text    normalised session id
        raw_session_id    text    session id as recorded
        agent             text    as recorded
        agents            texts   older spelling, as recorded
        strategy          text    as recorded
        branch            text    as recorded
        cli_version       text    as recorded
        model             text    as recorded
        session_kind      text    as recorded, for example agent_review
        turn_id           text    as recorded
        transcript_start  integer lines of the transcript before this checkpoint, as recorded
        transcript_identifier_at_start text identifier of the entry before this checkpoint, as recorded
        checkpoints_count integer prompts or steps, as recorded
        files_touched     texts   repository paths, as recorded
        fields            texts   top-level keys that the metadata has
        """,
    ),
    _kind(
        "document",
        "One version of a source document; its parts rebuild it byte for byte.",
        """
        document_id    text    identity, the key of its parts
        path           text    path inside its source
        content_id     text    blob id, or SHA-256 where the source is not git
        role           text    transcript, fallback_transcript, task_transcript and usage have records; metadata, ...
        format         text    claude, codex, gemini, ... as sniffed, null where it has none
        checkpoint_key text    checkpoint that it belongs to
        session_index  integer session directory that it belongs to
        session_key    text    normalised session id that it belongs to
        parent_call    text    call that started the subagent whose document it is, else null
        chunk          integer 0 for the first file of a transcript
        byte_count     integer size, null where the bytes are missing
        line_count     integer lines, the last one terminated or not; null where the bytes are missing
        ends_with_newline flag the last line is terminated; null where the bytes are missing
        is_missing     flag    the source names it but does not have its bytes
        """,
    ),
    _kind(
        "host_session",
        "A session in the files of its host; its evidence is the first record.",
        """
        session_key    text    normalised session id
        raw_session_id text    session id as the host writes it
        agent          text    name of the host, for example Claude Code
        cwd            text    working directory at its beginning, where it is stated
        """,
    ),
    _kind(
        "session_link",
        "A relation of two sessions, as a record of one of them states it.",
        """
        session_key text    normalised id of the session that states it
        entry_key   text    the record
        occurrence  integer occurrence of that record
        child_key   text    the session that was started by the other or goes on from it
        parent_key  text    the session that started it or that it goes on from
        relation    text    subagent, continues or fork
        call_key    text    tool call of the parent that started the child, where it is stated
        """,
    ),
    _kind(
        "session_workplace",
        "The repository that a session's working directory lay in when the session was read.",
        """
        session_key   text   normalised session id
        cwd           text   working directory, as recorded
        repository_id text   repository identity
        root          text   folder of the repository on the machine of the session
        origin        text   work_tree: git found it there; source_folder: a registered repository lies there
        confidence    number 0 to 1
        """,
    ),
    _kind(
        "entry",
        "One record of a transcript, of whatever type.",
        """
        session_key    text    normalised session id
        format         text    transcript format
        entry_type     text    type as recorded; for progress and system lines type/subtype
        entry_key      text    uuid where the format has one, else the digest of the record's bytes
        parent_key     text    uuid of the record before it, as recorded
        message_key    text    id of the API message that it is a block of
        occurrence     integer 0 for the first of identical records in a session
        role           text    user, assistant, system or null
        model          text    model that produced it
        cwd            text    working directory
        git_branch     text    branch of the working directory
        agent_version  text    version of the host
        is_sidechain   flag    it belongs to a subagent
        is_meta        flag    the host marked it as not typed by a person
        is_compaction  flag    it is a compaction boundary or its summary
        thinking_count integer thinking blocks in it
        image_count    integer images among its own blocks
        """,
    ),
    _kind(
        "rewind",
        "A record by which a session takes back what was said before it; of trees of records the parents say so.",
        """
        session_key  text    normalised session id
        entry_key    text    the record
        occurrence   integer occurrence of that record
        target_key   text    record from which on all is taken back, null for all before this one and where turns count
        keeps_target flag    that record itself stays
        turn_count   integer last turns that are taken back, null where a record is named
        is_open      flag    all after the target is taken back, wherever this record stands
        """,
    ),
    _kind(
        "message",
        "Text that a person or a model wrote, or that the host put in their mouth.",
        """
        session_key text      normalised session id
        entry_key   text      the record that it is part of
        occurrence  integer   occurrence of that record
        block       integer   place among the record's blocks, from 0
        role        text      user, assistant or system
        channel     text      prompt, text, thinking, summary or title; recorded for a prompt that a checkpoint lists
        origin      text      typed, injected or model
        text        long_text the text, empty for a prompt of images alone
        is_nested   flag      it was said inside a subagent
        """,
    ),
    _kind(
        "tool_call",
        "A model's request to run a tool; its evidence is the block with the whole input.",
        """
        session_key  text      normalised session id
        entry_key    text      the record that it is part of
        occurrence   integer   occurrence of that record
        call_key     text      the host's id of the call; where it has none, derived from the record
        parent_call  text      call that runs the subagent which made this one, else null
        name         text      tool as recorded
        path         text      file that the input names, as recorded
        command      long_text shell command, where it is one
        description  text      description or title in the input
        writes       flag      its input holds text to be written to a file
        is_nested    flag      it was made inside a subagent
        """,
    ),
    _kind(
        "tool_result",
        "What a tool answered; its evidence is the block with the whole answer.",
        """
        session_key text      normalised session id
        entry_key   text      the record that it is part of
        occurrence  integer   occurrence of that record
        call_key    text      the call that it answers
        is_error    flag      the host marked it as failed, null where it does not say
        exit_code   integer   exit status of a command, where it is stated
        byte_count  integer   size of the answer's text in bytes
        excerpt     long_text first 400 characters of the answer's text
        is_nested   flag      it was made inside a subagent
        """,
    ),
    _kind(
        "file_touch",
        "A file that a session, checkpoint or tool call names as read or written.",
        """
        session_key    text    normalised session id, null for a checkpoint's own list
        checkpoint_key text    checkpoint whose metadata lists it, null for a tool call
        session_index  integer session directory whose metadata lists it, null otherwise
        entry_key      text    record that names it, null for metadata
        occurrence     integer occurrence of that record, null for metadata
        call_key       text    tool call that touched it, null for metadata
        path           text    path as recorded
        cwd            text    working directory that the path may be relative to
        access         text    read, write or listed
        origin         text    metadata, tool_input, patch or command
        """,
    ),
    _kind(
        "edit_trace",
        "What became of the search for the symbols that a tool call edited; its evidence is the record that says so.",
        """
        session_key     text normalised session id
        call_key        text the tool call
        result_event_id text the tool_result event whose record was read
        path            text file, as recorded; null where several are
        language        text language that it was read as, null where none is known
        extractor       text extractor and grammar version
        status          text traced; or why not: snapshot_unknown, no_language, skipped or failed
        """,
    ),
    _kind(
        "edited_symbol",
        "A symbol whose span an edit fell in: in the file as the edit left it, or before where it only removed lines.",
        """
        session_key     text normalised session id
        call_key        text the tool call that made the edit
        result_event_id text the tool_result event whose record was read
        occurrence      integer occurrence of that record
        path            text file, as recorded
        language        text language that it was read as
        extractor       text extractor and grammar version
        descriptor      text SCIP descriptor chain inside the file
        symbol_kind     text function, method, class, ...
        name            text name
        is_innermost    flag no other symbol inside of it was edited
        """,
    ),
    _kind(
        "token_usage",
        "Token counts as recorded; never add rows of different scopes.",
        """
        scope                 text    checkpoint, checkpoint_session, entry, nested_entry, screen or running_total
        checkpoint_key        text    checkpoint, for metadata
        session_index         integer session directory, for metadata
        session_key           text    normalised session id, null for a checkpoint
        entry_key             text    record, for entries
        occurrence            integer occurrence of that record
        message_key           text    API message, for entries: count each once, by its last record
        model                 text    model, where stated
        input_tokens          integer as recorded
        output_tokens         integer as recorded
        cache_creation_tokens integer as recorded
        cache_read_tokens     integer as recorded
        api_call_count        integer as recorded
        """,
    ),
    _kind(
        "session_summary",
        "A summary of a session that its source recorded.",
        """
        checkpoint_key text      checkpoint
        session_index  integer   session directory
        session_key    text      normalised session id
        intent         long_text what was asked
        outcome        long_text what came of it
        learnings      long_text JSON of what was learnt about repository, code and workflow
        friction       texts     obstacles met
        open_items     texts     work left open
        """,
    ),
    _kind(
        "attribution",
        "Shares of agent and person in a commit's lines, as the checkpoint recorded them.",
        """
        checkpoint_key   text    checkpoint
        session_index    integer session directory, null for the checkpoint's combined one
        session_key      text    normalised session id
        agent_lines      integer lines by the agent
        human_added      integer lines added by a person
        human_modified   integer lines modified by a person
        human_removed    integer lines removed by a person
        agent_removed    integer lines removed by the agent
        total_committed  integer lines committed
        total_lines_changed integer lines added, modified or removed
        agent_percentage number  percent, as recorded
        metric_version   integer version of the metric, null for the first
        """,
    ),
)

_MEMORY = (
    _kind(
        "fact",
        "Something to remember; its evidence is its own line as facts are exported.",
        """
        fact_id           text      identity of the fact
        fact_kind         text      free text, by convention fact, preference or observation
        content           long_text the words, and all that a recall searches
        folded_content    long_text the same in lower case, one character for one, as a recall compares it
        scope_instance    text      memory scope: the store, empty where it holds for all
        scope_project     text      memory scope: the project, empty where it holds for all
        scope_workspace   text      memory scope: the work tree, empty where it holds for all
        scope_key         text      the three as a JSON array
        enclosing_scopes  texts     the same of the scopes around it, the nearest first
        told_by           text      who or what said so
        recorded_at       integer   when the store was told, in microseconds since 1970
        valid_from        integer   from when it holds, null for always
        valid_until       integer   from when it no longer holds, null for never
        expires_at        integer   from when it is no longer worth recalling, null for never
        """,
    ),
    _kind(
        "fact_anchor",
        "Something that a fact rests on.",
        """
        fact_id     text    the fact
        ordinal     integer position among the fact's anchors
        anchor_kind text    commit, file, symbol, turn or span
        anchor_id   text    identity of the thing; of a span segment:start:end
        digest      text    digest of the thing when the fact was recorded, empty where that does not matter
        """,
    ),
    _kind(
        "fact_link",
        "A later word on a fact by another one.",
        """
        fact_id        text    the fact that says so
        relation       text    supersedes or contradicts
        target_fact_id text    the fact that it is said of
        recorded_at    integer when the store was told, in microseconds since 1970
        effective_at   integer from when the target no longer holds, null for recorded_at
        """,
    ),
    _kind(
        "fact_forgetting",
        "A fact is not to be recalled any more.",
        """
        fact_id     text    the fact
        recorded_at integer when the store was told, in microseconds since 1970
        reason      text    why, in words
        """,
    ),
    _kind(
        "plane_cohort",
        "The files of one scope of a plane store, read together and admitted; its evidence is meta.json.",
        """
        location            text    folder in the plane store, empty for the global scope
        scope               text    global, cwd or session
        cwd                 text    working directory, null for the global scope and where none is stated
        session_key         text    the host's id of the session, null for the other scopes
        version             integer version of the files
        dialect             text    legacy or target: the names of their planes
        revision            integer number of changes that the scope ever had
        checkpoint_boundary text    boundary of the state in checkpoint.json
        head_boundary       text    newest boundary of the scope
        head_position       integer its position
        mode                text    mode of the session, null where none is stated
        checkpoint_segment  text    bytes of checkpoint.json
        patches_segment     text    bytes of patches.jsonl
        meta_segment        text    bytes of meta.json
        runtime_segment     text    bytes of runtime.json, null where the scope has none that is usable
        """,
    ),
    _kind(
        "plane_boundary",
        "A boundary as a file of a cohort states it; its evidence is that file.",
        """
        cohort_id   text    the plane_cohort event
        role        text    checkpoint, patch or lineage
        ordinal     integer position among the boundaries of that role
        boundary_id text    identity within its lineage
        position    integer number of transitions before it in its lineage
        parent_id   text    boundary before it, null for an origin
        """,
    ),
    _kind(
        "plane_patch",
        "An accepted change of a scope; its evidence is its line of patches.jsonl.",
        """
        cohort_id   text      the plane_cohort event
        ordinal     integer   position among the changes that the scope retains
        boundary_id text      boundary of the transition
        record      long_text JSON of the net change, in the present dialect
        """,
    ),
    _kind(
        "plane_item",
        "A member of a plane as it is at the head of a cohort; its evidence is the newest change that names it.",
        """
        cohort_id   text      the plane_cohort event
        plane       text      intents, strategy, tactics, artifacts, lazy or response
        name        text      key in the plane, empty for the response
        value       long_text JSON of the value
        boundary_id text      boundary of the newest change that names it, or of the checkpoint
        owns        texts     paths below its scope that an intent owns
        """,
    ),
    _kind(
        "read_trust_block",
        "What the result of a read states of the file; its evidence is the line of the session.",
        """
        session_key text    the host's id of the session
        entry_key   text    the entry that carries it
        path        text    path as the tool resolved it
        lines       text    full, or r:FIRST:LAST
        mode        text    full, unchanged, unchanged_range, diff or baseline_fallback
        served_hash text    SHA-256 of the file when it was read
        base_hash   text    SHA-256 of the file that the result refers to
        total_lines integer lines of the file
        first_line  integer first line asked for
        last_line   integer last line asked for
        shown_last  integer last line that was shown
        byte_count  integer size of the file
        """,
    ),
    _kind(
        "read_trust_invalidation",
        "A session withdraws its trust in what it read; its evidence is the line of the session.",
        """
        session_key text the host's id of the session
        entry_key   text the entry that says so
        path        text path as the tool resolved it
        lines       text full, or r:FIRST:LAST
        """,
    ),
    _kind(
        "read_scope",
        "A file, or lines of one, that a session trusts at the entry it goes on from; its evidence made the trust.",
        """
        tree_id     text    version of the session's transcript, by the documents that make it up
        session_key text    the host's id of the session
        leaf        text    entry that the session goes on from
        cwd         text    working directory of the session
        path        text    path as the tool resolved it
        lines       text    full, or r:FIRST:LAST
        served_hash text    SHA-256 of the file as it is trusted
        is_seen     flag    every line of it was really shown
        """,
    ),
)

_STORE = (
    _kind(
        "fault",
        "Input that could not be used as it is: what, where and why.",
        """
        fault_kind   text      missing_blob, joined_records, malformed_line, undecodable, parse_timeout, ...
        location     text      path inside the source, with a line or offset where there is one
        detail       text      why, in a sentence
        is_recovered flag      everything in it was recovered all the same
        """,
    ),
    _kind(
        "tombstone",
        "A change of presence of an event at its source; the last one of a target counts.",
        """
        target_event_id text    the event
        target_kind     text    its kind
        state           text    withdrawn, restored, or kept: its source deleted it and nothing took its place
        generation      integer source generation that says so
        reason          text    why
        """,
    ),
)

KINDS: dict[str, Kind] = {kind.name: kind for kind in _GIT + _CODE + _SESSIONS + _MEMORY + _STORE}

LEDGER: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        _kind(
            "segment",
            "Where the bytes of a segment lie.",
            """
            segment    text    SHA-256 of its bytes
            pack       integer pack that holds it
            pack_start integer first byte in the unpacked pack
            byte_count integer size
            """,
        ),
        _kind(
            "pack",
            "Segments compressed together.",
            """
            pack       integer number, from 1
            receipt    integer receipt of the batch that brought it
            byte_count integer size of the unpacked bytes
            data       bytes   zstd frame of the segments' bytes, one after another
            """,
        ),
        _kind(
            "part",
            "A run of bytes of a document; all of a document's parts in order are the document.",
            """
            document_id text    the document
            ordinal     integer position
            segment     text    segment that holds the bytes
            start_byte  integer first byte in the segment
            end_byte    integer end in the segment, exclusive
            """,
        ),
        _kind(
            "receipt",
            "One admitted batch; the digests form a chain.",
            """
            number          integer   position in the chain, from 1
            source_id       text      source
            generation      integer   source generation
            position        long_text cursor position after the batch
            content_digest  text      digest of what the source holds at that position
            seq_lo          integer   first seq of the batch, one past seq_hi when it has no events
            seq_hi          integer   last seq of the batch
            counts          long_text JSON object, events admitted per kind
            batch_digest    text      SHA-256 over the new event ids, segments and parts
            previous_digest text      digest of the receipt before it
            digest          text      SHA-256 over all of the above
            """,
        ),
        _kind(
            "source",
            "A registered source and where it lies now.",
            """
            source_id  text      identity
            loader     text      module that reads it
            project_id text      project that it belongs to
            name       text      name for people
            locator    text      where it lies on this machine
            options    long_text JSON object of the loader's options
            """,
        ),
        _kind(
            "processed_session",
            "A session that a consumer has dealt with, and what the session held then.",
            """
            session_key    text      normalised session id
            consumer       text      who dealt with it
            content_digest text      digest of what the session held
            processed_at   time      when
            note           long_text JSON of whatever the consumer wants to remember
            """,
        ),
        _kind(
            "generation",
            "A published graph generation.",
            """
            number             integer   from 1
            root_digest        text      digest of the graph
            watermark          text      digest of the canonical watermark that it was built at
            receipt            integer   number of the last receipt that it covers
            projection_version text      digest of the projection's files
            schema_fingerprint text      fingerprint of the event kinds
            engine             text      engine and its version
            folder             text      folder under generations/
            seal               text      BLAKE3 of the engine's file
            file_size          integer   size of the engine's file in bytes
            file_mtime         integer   its time of modification in nanoseconds since 1970
            labels             long_text JSON object, per table rows, digest and columns
            coverage           long_text JSON object, what it covers and what is missing
            text_index         long_text JSON object, engine, digest and sealed files of its text index, if it has one
            published_at       time      when
            """,
        ),
    )
}


DERIVED: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        _kind(
            "linkage",
            "What the other derived tables were made from; one row.",
            """
            rules        text      digest of the rules that made them
            watermark    text      digest of the canonical watermark that they cover
            counts       long_text JSON object, rows per table and what could not be read
            finished_at  time      when
            """,
        ),
        _kind(
            "written_call",
            "A tool call whose written text has been taken apart.",
            """
            event_id    text the tool_call event
            session_key text normalised session id
            call_key    text the host's id of the call
            occurred_at time when it was made
            """,
        ),
        _kind(
            "written_line",
            "A line that a tool call wrote; each once a call and file.",
            """
            session_key text    normalised session id
            call_key    text    the host's id of the call
            path        text    file as the call names it, null where it names none
            ordinal     integer place among the lines of the call
            line_key    integer digest of the line without white space
            is_telling  flag    it says enough to be recognized by itself
            is_new      flag    the text that it took the place of did not have it
            is_edit     flag    it took the place of a text, or was added to a file
            """,
        ),
        _kind(
            "commit_patch",
            "A commit compared with a parent, line by line.",
            """
            repository_id text repository identity
            commit_oid    text the commit
            parent_oid    text the parent, empty for a commit without one
            problem       text why the changed lines are not known, null where they are
            """,
        ),
        _kind(
            "changed_lines",
            "Lines of a commit that took the place of lines of a parent; a file that only moved has no numbers.",
            """
            repository_id text    repository identity
            commit_oid    text    the commit
            parent_oid    text    the parent, empty for a commit without one
            path          text    path in the commit, null where the file is gone
            old_path      text    path in the parent, null where there was none
            is_text       flag    its lines are known
            old_start     integer first removed line, from 1, or the line before the added ones
            old_count     integer lines removed
            new_start     integer first added line, from 1, or the line before the removed ones
            new_count     integer lines added
            is_reflow     flag    both sides say the same but for white space and line ends
            """,
        ),
        _kind(
            "added_line",
            "A line of a commit that none of its parents has there; empty ones are left out.",
            """
            repository_id text    repository identity
            commit_oid    text    the commit
            path          text    path in the commit
            line          integer number of the line there, from 1
            line_key      integer digest of the line without white space
            is_telling    flag    it says enough to be recognized by itself
            """,
        ),
        _kind(
            "commit_prose",
            "What a commit added that people read: comments, and lines of documents; only where there is any.",
            """
            repository_id text      repository identity
            commit_oid    text      the commit
            text          long_text the lines, in order; of a long one the beginning
            """,
        ),
        _kind(
            "line_writer",
            "The tool call that wrote an added line.",
            """
            repository_id text    repository identity
            commit_oid    text    the commit
            path          text    path in the commit
            line          integer number of the line there, from 1
            session_key   text    normalised session id
            call_key      text    the host's id of the call
            origin        text    written_text, same_text_elsewhere, surrounding_lines or altered_text
            confidence    integer how sure that is, in thousandths
            rivals        integer other calls that wrote the same text to the file
            """,
        ),
        _kind(
            "commit_session",
            "A session that a commit's changes may come from, by evidence other than what the commit's message names.",
            """
            repository_id text    repository identity
            commit_oid    text    the commit
            session_key   text    normalised session id
            origin        text    strongest evidence: written_text, recorded_capture, edited_files or activity
            confidence    integer how sure that is, in thousandths
            evidence      texts   all evidence, each as a name and what was measured
            line_count    integer telling lines of the commit that the session wrote
            line_total    integer telling lines of the commit
            call_key      text    the call that wrote most of them, else the one that made the commit; null without
            segment       text    bytes that support it most
            start_byte    integer start in the segment
            end_byte      integer end in the segment, exclusive
            """,
        ),
        _kind(
            "call_turn",
            "The turn that a tool call that wrote to files belongs to.",
            """
            session_key text    normalised session id
            call_key    text    the host's id of the call
            turn_id     text    the turn, null before the first typed prompt
            position    integer place of the call's record in the session
            call_seq    integer position of the call's event in the store
            """,
        ),
        _kind(
            "line_origin",
            "A run of lines of an indexed snapshot, where they were last changed and where they come from.",
            """
            repository_id text    repository identity
            commit_oid    text    the indexed commit
            path          text    path there
            first_line    integer number of the first line, from 1
            line_count    integer lines in the run
            last_oid      text    commit that changed the lines last
            last_path     text    path in that commit
            last_line     integer number of the first of them there
            origin_oid    text    commit that wrote them first, before moves and reformatting
            origin_path   text    path in that commit
            origin_line   integer number of the first of them there
            """,
        ),
        _kind(
            "line_removal",
            "A run of lines that the history of an indexed snapshot had and that a commit took away or changed.",
            """
            repository_id text    repository identity
            commit_oid    text    commit that added the lines
            path          text    path in that commit
            first_line    integer number of the first line there, from 1
            line_count    integer lines in the run
            removed_oid   text    commit that took them away
            """,
        ),
    )
}
"""Tables that `graphsvc link` makes from evidence: not part of the schema, since they can always be made again."""


def schema_fingerprint(kinds: Iterable[Kind] = (*KINDS.values(), *LEDGER.values())) -> str:
    """SHA-256 over the declarations: names, types and order of all columns, not their meanings."""
    declared = [
        [kind.name, [[column.name, column.type] for column in (*ENVELOPE, *kind.columns)]] for kind in kinds
    ]
    return hashlib.sha256(json.dumps(declared, separators=(",", ":")).encode()).hexdigest()
