"""Lines are the same whatever their white space, and texts of tool calls are found in all their forms."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphsvc.lines import is_telling, line_key, normalized
from graphsvc.written import Written, command_texts, patch_texts, written_texts
from loaders.linkage.lineage import lineages

WORDS = st.lists(st.text("abcxyz_()=.", min_size=1, max_size=6), max_size=6)
SPACE = st.text(" \t", min_size=1, max_size=3)


@given(WORDS, SPACE, SPACE)
def test_white_space_makes_no_other_line(words: list[str], one: str, other: str) -> None:
    first, second = one.join(words), other + other.join(words) + one

    assert line_key(first) == line_key(second) == line_key(normalized(first))
    assert (line_key(first) == 0) == (not words)


@given(st.text(max_size=20))
def test_a_telling_line_has_letters(line: str) -> None:
    assert not is_telling(line) or sum(map(str.isalnum, line)) >= 4


def call(given: object) -> bytes:
    return json.dumps({"type": "tool_use", "input": given}).encode()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"file_path": "a", "content": "x"}, [Written("x", None, "a")]),
        ({"path": "a", "old_str": "w", "new_str": "x"}, [Written("x", "w", "a")]),
        ({"notebook_path": "a.ipynb", "new_source": "x"}, [Written("x", None, "a.ipynb")]),
        (
            {"file_path": "a", "edits": [{"old_string": "w", "new_string": "x"}, {"new_string": "y"}]},
            [Written("x", "w", "a"), Written("y", None, "a")],
        ),
        ({"command": "ls"}, []),
        ({"command": ["bash", "-lc", "cat > a <<EOF\nx\nEOF"]}, [Written("x", None, "a")]),
        (
            {"command": "apply_patch <<'E'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nE"},
            [Written("x", None, "a")],
        ),
        (
            "*** Begin Patch\n*** Update File: a\n@@\n-w\n+x\n*** Update File: b\n+y\n*** End Patch",
            [Written("x", "w", "a"), Written("y", None, "b")],
        ),
        (["no", "object"], []),
        ({"file_path": 7, "content": None}, []),
    ],
)
def test_texts_of_tool_calls(given: object, expected: list[Written]) -> None:
    assert written_texts(call(given)) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat <<-EOF >> b.py\n\tx\n\tEOF\necho done", [Written("\tx", "", "b.py")]),
        ("tee c.py <<'X'\n1\nX", [Written("1", None, "c.py")]),
        ("python - <<'PY'\nprint(1)\nPY", [Written("print(1)", "", None)]),
        ('printf "a=1" > d.env', [Written("a=1", "", "d.env")]),
        ("cat <<EOF\nnever ends", [Written("never ends", "", None)]),
        ("echo 'x' 2>&1", []),
    ],
)
def test_texts_of_commands(command: str, expected: list[Written]) -> None:
    assert list(command_texts(command)) == expected


def test_a_unified_patch_has_a_text_a_file() -> None:
    patch = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n--- a/y.py\n+++ b/y.py\n@@ -1 +1,2 @@\n+c\n"

    assert list(patch_texts(patch)) == [Written("b", "a", "x.py"), Written("c", None, "y.py")]


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=8))
def test_paths_that_renames_connect_have_one_lineage(renames: list[tuple[str, str]]) -> None:
    found = lineages("abcdef", renames)

    assert all(found[old] == found[new] for old, new in renames)
    assert all(found[end] == end <= path for path, end in found.items())
