from __future__ import annotations

import pytest

from graphsvc.errors import ContinuationRejected
from graphsvc.knowledge import KnowledgeBase
from queries.retrieval.continuation import LIFETIME, Binding, open_token, sign

_ASKED = Binding("query", "filters", "scope", 1, "watermark", "1", 10)


@pytest.mark.parametrize("grain", ["occurrence", "turn", "session", "symbol", "file"])
@pytest.mark.parametrize("size", [1, 3, 7])
def test_pages_together_are_the_whole_answer(kb: KnowledgeBase, grain: str, size: int) -> None:
    whole = kb.search("test uploads under load", grain=grain, limit=1000)
    rows, token = [], None
    while True:
        page = kb.search("test uploads under load", grain=grain, limit=size, continuation=token)
        rows += page.rows
        token = page.continuation
        if token is None:
            break

    assert rows == whole.rows
    assert whole.total == len(rows) > 0


@pytest.mark.parametrize(
    ("binding", "changed"),
    [
        ("query", {"text": "load"}),
        ("query", {"mode": "exact"}),
        ("filters", {"agent": "Claude Code"}),
        ("scope", {"repository": "library"}),
        ("page_size", {"limit": 2}),
    ],
)
def test_a_token_is_good_for_its_own_answer_alone(
    kb: KnowledgeBase, binding: str, changed: dict[str, str]
) -> None:
    asked = {"text": "uploads", "limit": 1}
    token = kb.search(**asked).continuation  # type: ignore[arg-type]

    with pytest.raises(ContinuationRejected) as raised:
        kb.search(**asked | changed, continuation=token)  # type: ignore[arg-type]

    assert raised.value.binding == binding


@pytest.mark.parametrize("name", Binding.__dataclass_fields__)
def test_whatever_has_moved_is_named(name: str) -> None:
    token = sign(b"secret", _ASKED, (0, 0, 0, "k"))
    moved = Binding(
        **{field: getattr(_ASKED, field) for field in Binding.__dataclass_fields__} | {name: "moved"}
    )

    with pytest.raises(ContinuationRejected) as raised:
        open_token(b"secret", token, moved)

    assert raised.value.binding == name


def test_a_token_expires() -> None:
    token = sign(b"secret", _ASKED, (0, 0, 0, "k"), now=0)

    with pytest.raises(ContinuationRejected) as raised:
        open_token(b"secret", token, _ASKED, now=LIFETIME + 1)

    assert raised.value.binding == "expiry"


@pytest.mark.parametrize("token", ["", "no token", "AAAA", "é"])
def test_a_forged_token_is_refused(token: str) -> None:
    with pytest.raises(ContinuationRejected) as raised:
        open_token(b"secret", token, _ASKED)

    assert raised.value.binding == "signature"


def test_another_secret_is_refused() -> None:
    with pytest.raises(ContinuationRejected):
        open_token(b"other", sign(b"secret", _ASKED, (0, 0, 0, "k")), _ASKED)
