"""An invented project: commits that name nothing, and the sessions that wrote some of them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from loaders.linkage import link
from tests.queries.conftest import Trails, session_of
from tests.queries.talks import START, Talk
from tests.repositories import BEN

__all__ = ["at_commit", "body", "keep", "make"]

BOT = "helper[bot] <helper@example.org>"
TAIL = "\n# the end of the file\n"


def body(name: str, count: int = 6) -> str:
    """Lines that no other file has."""
    return "".join(f"{name}_{number} = compute_{name}({number})\n" for number in range(count))


def at_commit(trails: Trails) -> Talk:
    """A session that begins half a minute before the next commit."""
    name = f"session {trails.repository.commits}"
    start = START + timedelta(minutes=trails.repository.commits, seconds=-30)
    return Talk(session_of(name), start=start).prompt(f"Please write it, {name}")


def keep(trails: Trails, name: str, talk: Talk) -> None:
    """Have a checkpoint record a session ten seconds after the next commit."""
    at = START + timedelta(minutes=trails.repository.commits, seconds=10)
    trails.keep(name, talk, created_at=at.isoformat())


def make(folder: Path) -> Trails:
    """The project, loaded and linked."""
    made = Trails(folder)
    made.commit({"begin.txt": "begin\n"})

    keep(made, "alpha", at_commit(made).write("alpha", "/p/src/alpha.py", body("alpha")))
    made.commit({"src/alpha.py": body("alpha")}, message="alpha")

    for number in range(3):
        made.commit({"begin.txt": f"begin {number}\n"})
    made.commit({"src/human.py": body("human")}, message="human")

    keep(made, "bot", at_commit(made).write("bot", "/p/src/bot.py", body("bot")))
    made.repository.commit({"src/bot.py": body("bot")}, "bot", author=BOT)

    # Two sessions, squashed into one commit that a person has changed a little and formatted.
    keep(made, "left", at_commit(made).write("left", "/p/src/left.py", body("left")))
    right = at_commit(made)
    right.session = session_of("right")
    keep(made, "right", right.write("right", "/p/src/right.py", body("right")))
    formatted = (
        body("right").replace(" = ", "   =   ").replace("right_3   =   compute_right(3)", "right_3 = 33")
    )
    made.commit({"src/left.py": body("left"), "src/right.py": formatted}, message="squash")

    keep(
        made,
        "shell",
        at_commit(made).call("shell", "Bash", {"command": f"cat > src/shell.py <<'EOF'\n{body('shell')}EOF"}),
    )
    made.commit({"src/shell.py": body("shell")}, message="shell")

    keep(
        made,
        "failed",
        at_commit(made).call(
            "failed", "Write", {"file_path": "/p/src/failed.py", "content": body("failed")}, failed=True
        ),
    )
    made.commit({"src/failed.py": body("failed")}, message="failed")

    keep(
        made,
        "alpha again",
        at_commit(made).edit(
            "again", "/p/src/alpha.py", "alpha_2 = compute_alpha(2)\n", "alpha_2 = compute_again(2)\n"
        ),
    )
    made.commit(
        {"src/alpha.py": None, "lib/alpha.py": body("alpha").replace("compute_alpha(2)", "compute_again(2)")},
        message="rename",
    )
    made.repository.commit({"src/human.py": body("human") + TAIL}, "touch", author=BEN)
    made.load()
    link(made.store)
    return made
