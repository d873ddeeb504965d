"""What tool inputs say."""

import pytest

from loaders.transcripts.tools import describe

PATCH = """*** Begin Patch
*** Add File: docs/a b.md
+hello
*** Update File: src/x.py
*** Move to: src/y.py
@@
*** Delete File: old.py
*** End Patch"""


@pytest.mark.parametrize(
    ("name", "given", "touches"),
    [
        ("Read", {"file_path": "a"}, [("a", "read")]),
        ("NotebookEdit", {"notebook_path": "n.ipynb", "new_source": "x"}, [("n.ipynb", "write")]),
        ("MultiEdit", {"file_path": "a", "edits": []}, [("a", "write")]),
        ("read_many_files", {"paths": ["a", "b", 3]}, [("a", "read"), ("b", "read")]),
        ("replace", {"file_path": "a", "old_string": "x"}, [("a", "write")]),
        ("write", {"filePath": "a", "content": ""}, [("a", "write")]),
        ("Grep", {"pattern": "x", "path": "src"}, []),
        ("Bash", {"command": "cat a"}, []),
        (
            "apply_patch",
            PATCH,
            [(path, "write") for path in ("docs/a b.md", "src/x.py", "src/y.py", "old.py")],
        ),
        ("shell", {"command": ["apply_patch", PATCH]}, [("docs/a b.md", "write")]),
        ("Edit", {"file_path": 5}, []),
        ("Edit", None, []),
    ],
)
def test_touches(name: str, given: object, touches: list[tuple[str, str]]) -> None:
    assert describe(name, given).touches[: len(touches) or None] == touches


def test_a_folder_searched_is_named_but_not_touched() -> None:
    use = describe("Grep", {"pattern": "x", "path": "src", "description": "look for x"})

    assert (use.path, use.description, use.writes, use.command) == ("src", "look for x", False, None)


@pytest.mark.parametrize(("name", "writes"), [("Write", True), ("Read", False), ("apply_patch", False)])
def test_writes_needs_a_file(name: str, writes: bool) -> None:
    assert describe(name, {"file_path": "a"} if name != "apply_patch" else "no patch").writes is writes
