"""Continuations: signed tokens that go on where a page ended, of the very same answer or not at all."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from dataclasses import dataclass

import orjson

from graphsvc.errors import ContinuationRejected

__all__ = ["LIFETIME", "Binding", "open_token", "sign"]

LIFETIME = 24 * 3600
"""Seconds that a token is good for."""

_TAG = 32


@dataclass(frozen=True, slots=True)
class Binding:
    """What a continuation holds fast. Each part that has changed rejects it by its own name."""

    query: str
    filters: str
    scope: str
    generation: int
    watermark: str
    ranking: str
    page_size: int


def sign(
    secret: bytes, binding: Binding, last: tuple[int, int, int, str], *, now: float | None = None
) -> str:
    """A token for what comes after ``last``.

    Args:
        secret: The store's secret.
        binding: What the answer depends on.
        last: Sort key of the last row of the page.
        now: Seconds since 1970; the present where none is given.
    """
    expires = int(time.time() if now is None else now) + LIFETIME
    fields = {name: getattr(binding, name) for name in Binding.__dataclass_fields__}
    payload = orjson.dumps({**fields, "last": last, "expires": expires}, option=orjson.OPT_SORT_KEYS)
    tag = hmac.digest(secret, payload, hashlib.sha256)
    return base64.urlsafe_b64encode(tag + payload).rstrip(b"=").decode()


def open_token(
    secret: bytes, token: str, binding: Binding, *, now: float | None = None
) -> tuple[int, int, int, str]:
    """Sort key of the row that a page begins after.

    Raises:
        ContinuationRejected: The token is forged, has expired, or was made for another answer; ``binding`` names
            what does not fit.

    >>> asked = Binding("q", "f", "s", 1, "w", "r", 10)
    >>> token = sign(b"secret", asked, (0, -5, -1, "k"), now=0)
    >>> open_token(b"secret", token, asked, now=60)
    (0, -5, -1, 'k')
    """
    try:
        data = base64.urlsafe_b64decode(token.encode() + b"=" * (-len(token) % 4))
    except (binascii.Error, ValueError) as error:
        raise _rejected("signature") from error
    tag, payload = data[:_TAG], data[_TAG:]
    if not hmac.compare_digest(tag, hmac.digest(secret, payload, hashlib.sha256)):
        raise _rejected("signature")
    fields = orjson.loads(payload)
    for name in Binding.__dataclass_fields__:
        if fields[name] != getattr(binding, name):
            raise _rejected(name)
    if fields["expires"] < (time.time() if now is None else now):
        raise _rejected("expiry")
    exact, score, occurred, key = fields["last"]
    return exact, score, occurred, key


def _rejected(binding: str) -> ContinuationRejected:
    return ContinuationRejected(
        f"the continuation does not fit this request: its {binding} differs", binding=binding
    )
