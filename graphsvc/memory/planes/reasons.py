"""Why planes are refused: the closed list of reasons, beside those that concern the JSON itself."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Reason"]


class Reason(StrEnum):
    """The rule that a store, a patch or a document breaks."""

    # files
    NOT_A_REGULAR_FILE = "not_a_regular_file"
    FILE_TOO_LARGE = "file_too_large"
    UNSAFE_NAME = "unsafe_name"
    KEEPS_CHANGING = "keeps_changing"
    OLDER_FORMAT = "older_format"
    PARTIAL_COHORT = "partial_cohort"

    # metadata
    UNSUPPORTED_FORMAT = "unsupported_format"
    UNSUPPORTED_VERSION = "unsupported_version"
    RECORD_COUNT = "record_count"
    REVISION = "revision"
    BOUNDARY = "boundary"
    BOUNDARY_REPEATED = "boundary_repeated"
    BOUNDARY_ORDER = "boundary_order"
    BOUNDARY_DISCONNECTED = "boundary_disconnected"
    OWNER_MISSING = "owner_missing"
    OWNER_MISMATCH = "owner_mismatch"
    RUNTIME = "runtime"
    POLICY = "policy"
    POINTER = "pointer"

    # states and records
    ROOT_COLLISION = "root_collision"
    RETIRED_ROOT = "retired_root"
    PLANE_TYPE = "plane_type"
    RESPONSE_SCOPE = "response_scope"
    NULL_STORED = "null_stored"
    ARTIFACT_CARD = "artifact_card"
    INDEX_OUT_OF_RANGE = "index_out_of_range"
    INDEX_DELETED = "index_deleted"

    # one scope against the others
    CHECKPOINT_AFTER_LINEAGE = "checkpoint_after_lineage"
    BOUNDARY_BEYOND_HEAD = "boundary_beyond_head"
    BOUNDARY_CONFLICT = "boundary_conflict"
    BOUNDARY_WITHOUT_RECORD = "boundary_without_record"

    # authored patches
    UNKNOWN_SCOPE = "unknown_scope"
    UNKNOWN_PLANE = "unknown_plane"
    EMPTY_PATCH = "empty_patch"
    PROVENANCE_KEY = "provenance_key"
    NOT_EXPRESSIBLE = "not_expressible"
