"""Files that shell commands name."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaders.transcripts.commands import command_touches
from loaders.transcripts.tools import describe


def _parsed(expected: str) -> list[tuple[str, str]]:
    """``w:a r:b`` as touches."""
    access = {"r": "read", "w": "write"}
    pairs = (word.split(":", 1) for word in shlex.split(expected))
    return [(path, access[sign]) for sign, path in pairs]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        # Redirections
        ("echo hi > a.txt", "w:a.txt"),
        ("echo hi>>a.txt 2>&1", "w:a.txt"),
        ("make &> all.log", "w:all.log"),
        ("make >| b 2> err.log", "w:b w:err.log"),
        ("wc -l < in.txt > /dev/null 2>/dev/null", "r:in.txt"),
        ("cat <<< word", ""),
        ("cat a 2>&1 >&2", "r:a"),
        ("> empty.txt", "w:empty.txt"),
        # Here-documents are text
        ("cat <<'EOF' > notes.md\nrm everything > x\nEOF\nrm old.md", "w:notes.md w:old.md"),
        ("cat > a.py <<-PY\n\tprint(1)\n\tPY\ncat a.py", "w:a.py r:a.py"),
        ("cat <<A <<B > c\nrm 1\nA\nrm 2\nB\nrm d", "w:c w:d"),
        ("cat > a <<EOF\nno end, rm b", "w:a"),
        # Commands
        ("rm -rf build/out.o 'a b.txt'", "w:build/out.o 'w:a b.txt'"),
        ("rm -- -odd", "w:-odd"),
        ("mv a.py b.py", "w:a.py w:b.py"),
        ("mv a.py b.py lib/", "w:a.py w:b.py w:lib/a.py w:lib/b.py"),
        ("mv -t lib a.py", "w:a.py w:lib/a.py"),
        ("cp -r a.py b.py", "r:a.py w:b.py"),
        ("cp a b dir", "r:a r:b w:dir/a w:dir/b"),
        ("ln -s ../real link", "w:link"),
        ("touch -d yesterday a", "w:a"),
        ("echo x | tee -a one two", "w:one w:two"),
        ("truncate -s 0 log", "w:log"),
        ("cat a b | head -5 | wc -l", "r:a r:b"),
        ("head -n 5 a", "r:a"),
        ("tail -20", ""),
        ("grep -n foo a.py b.py", "r:a.py r:b.py"),
        ("grep -e foo a.py", "r:a.py"),
        ("grep -rn foo src", ""),
        ("rg -g '*.py' foo a.py", "r:a.py"),
        ("sed -n 1,5p a.py", "r:a.py"),
        ("sed -i s/a/b/ a.py b.py", "w:a.py w:b.py"),
        ("sed -i.bak -e s/a/b/ a.py", "w:a.py"),
        ("sed -i '' s/a/b/ a.py", "w:a.py"),
        ("sed --in-place -f script.sed a.py", "w:a.py"),
        ("perl -pi -e 's/a/b/' a.py", "w:a.py"),
        ("perl -ne 'print' a.py", "r:a.py"),
        ("awk -F: '{print $1}' a", "r:a"),
        ("jq .x a.json", "r:a.json"),
        ("jq --arg n v '.x' a.json", ""),
        ("sort -k2 -o out in", "r:in w:out"),
        ("dd if=a of=b bs=1", "r:a w:b"),
        ("curl -sSLo out.bin https://x.example", "w:out.bin"),
        ("wget -O - https://x.example", ""),
        ("patch a.py < fix.diff", "w:a.py r:fix.diff"),
        ("gofmt -w a.go . && gofmt b.go", "w:a.go r:b.go"),
        ("prettier --write a.ts", "w:a.ts"),
        (". ./env.sh; source b.sh", "r:env.sh r:b.sh"),
        # git
        ("git mv a b", "w:a w:b"),
        ("git rm -f a", "w:a"),
        ("git rm --cached a", ""),
        ("git checkout main -- a b", "w:a w:b"),
        ("git checkout main", ""),
        ("git restore --staged a", ""),
        ("git restore -s HEAD~1 a", "w:a"),
        ("git -C sub rm a", "w:sub/a"),
        ("git -c x.y=z apply fix.patch", "r:fix.patch"),
        ("git log -- a", ""),
        # Folders
        ("cd src && rm a.py", "w:src/a.py"),
        ("cd /srv/app; rm ../b", "w:/srv/b"),
        ("(cd src; rm a); rm b", "w:src/a w:b"),
        ("cd $HOME && rm a; rm /b", "w:/b"),
        ("cd && rm a", ""),
        # What runs other commands
        ("FOO=1 sudo -u ada rm a", "w:a"),
        ("timeout -k 1 10 cat a", "r:a"),
        ("env -u X A=b nice -n 5 cat a", "r:a"),
        ("bash -lc 'cd src && rm -f \"a b\"'", "'w:src/a b'"),
        ("sh run.sh arg", "r:run.sh"),
        ("if test -f x; then rm y; else touch z; fi", "w:y w:z"),
        ("for f in a b; do rm $f; done; rm c", "w:c"),
        ("! rm a\nrm b", "w:a w:b"),
        ("echo $(cat version.txt)", "r:version.txt"),
        # What the shell would expand names nothing that is known
        ('rm *.go a?.go b[0] {x,y} ~/z "$OUT" `which ls`', ""),
        ("rm '*.go' \"a\\$b\"", "'w:*.go' 'w:a$b'"),
        # Quotes
        ("rm a\\ b", "'w:a b'"),
        ("rm \"it's\" 'say \"x\"' a'b'c", '"w:it\'s" \'w:say "x"\' w:abc'),
        ("rm a; echo 'no end; rm b", "w:a"),
        ('rm a; git commit -m "$(cat <<\'EOF\'\nsay "x" > y; rm z\nEOF\n)"; rm b', "w:a"),
        ("git commit -m 'drop > x; rm y' && rm z # rm w", "w:z"),
        ("rm a \\\n  b", "w:a w:b"),
        ("unknown --out a b", ""),
        ("", ""),
        ("rm", ""),
        ("rm . .. - / src/", ""),
    ],
)
def test_touches(command: str, expected: str) -> None:
    assert command_touches(command) == _parsed(expected)


def test_a_shell_in_a_shell_ends_somewhere() -> None:
    command = "rm a"
    for _ in range(6):
        command = "sh -c " + shlex.quote(command)

    assert command_touches(command) == []


@given(st.text(alphabet="ab /.-'\"\\$`()<>|&;#\n{}*= rm", max_size=60))
def test_any_text_is_a_command(command: str) -> None:
    assert {access for _, access in command_touches(command)} <= {"read", "write"}


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=4))
def test_quoted_words_come_back_as_they_are(names: list[str]) -> None:
    paths = [f"d/{name.replace('/', '_')}x" for name in names if "\0" not in name]

    assert command_touches("rm -- " + shlex.join(paths)) == [(path, "write") for path in dict.fromkeys(paths)]


def test_a_patch_in_a_command_is_told_once() -> None:
    patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.py\n@@\n*** End Patch\nEOF\nrm b.py"

    use = describe("Bash", {"command": patch})

    assert (use.touches, use.commanded) == ([("a.py", "write")], [("b.py", "write")])
