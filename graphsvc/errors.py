"""The one tree of errors that graphsvc raises.

::

    GraphsvcError
    ├── ResetRequired          the store has another format: it must be recreated
    ├── Corrupt                bytes on disk are not what was written
    ├── DurabilityUncertain    a sync, close or reopen failed: the outcome of a write is unknown
    ├── StoreBusy              another process holds the lock
    ├── NotFound               nothing has that name or id
    ├── Ambiguous              several things have that name or id
    ├── Denied                 the access scope does not cover it
    ├── Conflict               a compare-and-set met another value than expected
    ├── Stale                  the answer would rest on evidence that has moved on
    ├── BudgetExhausted        a limit of items, bytes, tokens or time was reached
    ├── InvalidInput           an argument or a piece of input has the wrong form
    │   └── Refused            input breaks a named rule of its format
    ├── SourceUnavailable      a repository, file or engine cannot be read now
    ├── Cancelled              the caller stopped the work
    └── ContinuationRejected   a continuation token does not fit this request

Every error carries a message (what happened), a ``hint`` (what to do next, with the command where there is
one) and says by ``retryable`` whether the same call can succeed later without any change. ``exit_code`` is
the status of the command line for that class.

>>> error = StoreBusy("the store is being written", pid=4711)
>>> error.retryable, error.exit_code, error.pid
(True, 11, 4711)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

__all__ = [
    "Ambiguous",
    "BudgetExhausted",
    "Cancelled",
    "Conflict",
    "ContinuationRejected",
    "Corrupt",
    "Denied",
    "DurabilityUncertain",
    "GraphsvcError",
    "InvalidInput",
    "NotFound",
    "Refused",
    "ResetRequired",
    "SourceUnavailable",
    "Stale",
    "StoreBusy",
]


class GraphsvcError(Exception):
    """Base of everything that graphsvc raises on purpose.

    Args:
        message: One sentence that says what happened.
        hint: What to do next; the class default where none is given.
    """

    exit_code: ClassVar[int] = 1
    retryable: ClassVar[bool] = False
    default_hint: ClassVar[str] = "run the command again with --debug to see where it failed"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint


class ResetRequired(GraphsvcError):
    """The store's marker is absent, doubled, unreadable or of another format; nothing of it was decoded."""

    exit_code = 10
    default_hint = "run `graphsvc reset` to recreate the store; the old bytes are kept aside"


class Corrupt(GraphsvcError):
    """Bytes on disk differ from what was written there."""

    exit_code = 12
    default_hint = "run `graphsvc verify` to see what is damaged, then `graphsvc rebuild`"


class DurabilityUncertain(GraphsvcError):
    """A sync, close or reopen failed, so the outcome of the last write is unknown; the handle is closed."""

    exit_code = 13
    default_hint = "check the disk, then run `graphsvc verify`"


class StoreBusy(GraphsvcError):
    """Another process holds the store's lock.

    Args:
        message: One sentence that says what is held.
        pid: Process id of the holder, where it is known.
    """

    exit_code = 11
    retryable = True
    default_hint = "wait for the other process to finish, then run the command again"

    def __init__(self, message: str, *, pid: int | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.pid = pid


class NotFound(GraphsvcError):
    """Nothing in the store has that name or id."""

    exit_code = 14
    default_hint = "check the spelling, or run `graphsvc status` to see what the store covers"


class Ambiguous(GraphsvcError):
    """Several things have that name or id.

    Args:
        message: One sentence that says what was asked for.
        candidates: The names or ids that it may mean, best first.
    """

    exit_code = 15
    default_hint = "give more of the name, or one of the candidates' ids"

    def __init__(self, message: str, *, candidates: Sequence[str] = (), hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.candidates = tuple(candidates)


class Denied(GraphsvcError):
    """The access scope of the request does not cover what it asks for."""

    exit_code = 16
    default_hint = "name the project with --project"


class Conflict(GraphsvcError):
    """A compare-and-set found another value than the caller had read.

    Args:
        message: One sentence that says what was to be replaced.
        expected: The value that the caller had read.
        actual: The value that is there.
    """

    exit_code = 17
    retryable = True
    default_hint = "read the present value and run the command again"

    def __init__(self, message: str, *, expected: object, actual: object, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.expected = expected
        self.actual = actual


class Stale(GraphsvcError):
    """The answer would rest on evidence that has since moved on."""

    exit_code = 18
    default_hint = "run `graphsvc rebuild` to bring the store up to date"


class BudgetExhausted(GraphsvcError):
    """A limit of items, bytes, tokens or seconds was reached before the work was done.

    Args:
        message: One sentence that says what was stopped.
        limit: The limit, with its unit, for example ``"2 s"``.
    """

    exit_code = 19
    default_hint = "raise the limit, or ask for less"

    def __init__(self, message: str, *, limit: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.limit = limit


class InvalidInput(GraphsvcError, ValueError):
    """An argument, or a piece of input that cannot be quarantined, has the wrong form."""

    exit_code = 2
    default_hint = "see the command's --help"


class Refused(InvalidInput):
    """Input breaks a rule of its format and nothing of it is used.

    Args:
        message: One sentence that says what was found.
        reason: Name of the rule, from the closed list of the format.
        where: Place in the input, for example ``"patches.jsonl line 8"``; empty where it is the whole.
    """

    default_hint = "correct the input; it was not changed"

    def __init__(self, message: str, *, reason: str, where: str = "", hint: str | None = None) -> None:
        super().__init__(f"{where}: {message}" if where else message, hint=hint)
        self.reason = reason
        self.where = where


class SourceUnavailable(GraphsvcError):
    """A repository, file or engine cannot be read now."""

    exit_code = 20
    retryable = True
    default_hint = "check that the path exists and can be read"


class Cancelled(GraphsvcError):
    """The caller stopped the work; what was committed before stays."""

    exit_code = 130
    default_hint = "run the command again to go on from where it stopped"


class ContinuationRejected(GraphsvcError):
    """A continuation token does not fit the request or the store.

    Args:
        message: One sentence that says what does not fit.
        binding: Name of the bound property that has drifted.
    """

    exit_code = 21
    default_hint = "run the query again without the token"

    def __init__(self, message: str, *, binding: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.binding = binding
