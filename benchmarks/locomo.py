"""Finding the session, and the remark, that answers a question about long conversations (the LoCoMo data set).

``python -m benchmarks.locomo --data FILE_OR_FOLDER [--conversations 1-5] [--json]``

Each session becomes an agent transcript, one speaker as the person and the other as the model, in a repository's
checkpoints, and is loaded and indexed as every store is. Questions are asked as they are, of a store that has their
conversation alone. The baseline is plain BM25 over the same sessions or remarks. ``--data`` is a zip archive or a
folder of the data set's files, one a conversation.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import uuid
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.bm25 import Bm25
from benchmarks.ranks import Figure, Ranks, report
from graphsvc.knowledge import KnowledgeBase
from tests.entire.checkpoints import BRANCH, checkpoint, session
from tests.queries.talks import Talk
from tests.repositories import RepositoryBuilder

__all__ = ["main"]

_REMARK = re.compile(r"D\d+:\d+")


@dataclass
class Conversation:
    """A conversation: its sessions as transcripts, remarks by the id of their record, and questions."""

    talks: dict[str, Talk]
    remarks: dict[str, str]
    texts: dict[str, str]
    questions: list[tuple[str, list[str]]]


def _conversations(data: Path, numbers: range) -> Iterator[Conversation]:
    """Conversations by their number from 1, in the order of their files' names."""
    if data.is_dir():
        texts = {path.name: path.read_bytes() for path in data.glob("*.json")}
        names = sorted(texts, key=_number)
        for place in numbers:
            yield _conversation(json.loads(texts[names[place - 1]]))
        return
    with zipfile.ZipFile(data) as archive:
        names = sorted((name for name in archive.namelist() if name.endswith(".json")), key=_number)
        for place in numbers:
            yield _conversation(json.loads(archive.read(names[place - 1])))


def _number(name: str) -> int:
    return int(re.findall(r"\d+", name.rsplit("/", 1)[-1])[0])


def _conversation(said: dict[str, Any]) -> Conversation:
    talks, remarks, texts = {}, {}, {}
    for name in (key for key in said if re.fullmatch(r"session_\d+", key) and isinstance(said[key], list)):
        number = name.removeprefix("session_")
        identity = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{said['speaker_a']} {said['speaker_b']} {number}"))
        when = datetime.strptime(said[f"{name}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        talk = Talk(identity, start=when)
        for remark in said[name]:
            caption = f" [image: {remark['blip_caption']}]" if remark.get("blip_caption") else ""
            text = f"{remark['speaker']}: {remark['text']}{caption}"
            remarks[f"{identity[:8]}-{len(talk.records)}"] = remark["dia_id"]
            texts[remark["dia_id"]] = text
            if remark["speaker"] == said["speaker_a"]:
                talk.prompt(text)
            else:
                talk.say(text, message=remark["dia_id"])
        talks[f"D{number}"] = talk
    asked = [
        (
            one["question"],
            [name for name in _REMARK.findall(" ".join(one.get("evidence", []))) if name in texts],
        )
        for one in said["qa"]
    ]
    return Conversation(talks, remarks, texts, [(question, gold) for question, gold in asked if gold])


def _store(conversation: Conversation, folder: Path) -> KnowledgeBase:
    repository = RepositoryBuilder(folder / "repository")
    repository.commit({"README.md": "# Talk\n"}, "Begin")
    files: dict[str | bytes, bytes] = {}
    for talk in conversation.talks.values():
        key = uuid.uuid5(uuid.NAMESPACE_URL, talk.session).hex[:12]
        said = {"metadata.json": session(key, talk.session), "full.jsonl": talk.bytes()}
        files |= checkpoint(key, {0: said})
    repository.orphan_branch(BRANCH, files, "Checkpoint")
    kb = KnowledgeBase.init(folder / "store")
    kb.add_repository(repository.path)
    kb.rebuild()
    kb.index()
    return kb


@dataclass
class Measured:
    """Figures of one or all conversations."""

    sessions: Ranks
    remarks: Ranks
    plain_sessions: Ranks
    plain_remarks: Ranks

    @classmethod
    def none(cls) -> Measured:
        """Nothing measured yet."""
        return cls(Ranks(), Ranks(), Ranks(), Ranks())


def _ask(conversation: Conversation, measured: list[Measured]) -> None:
    """Ask all questions of a conversation."""
    with tempfile.TemporaryDirectory() as folder:
        kb = _store(conversation, Path(folder))
        sessions = {talk.session: name for name, talk in conversation.talks.items()}
        remarks = {
            str(row["event_id"]): conversation.remarks[str(row["entry_key"])]
            for row in kb.sql("SELECT event_id, entry_key FROM message WHERE channel IN ('prompt', 'text')")
        }
        whole: dict[str, list[str]] = {}
        for name, text in conversation.texts.items():
            whole.setdefault(name.split(":")[0], []).append(text)
        plain_sessions = Bm25({name: "\n".join(texts) for name, texts in whole.items()})
        plain_remarks = Bm25(conversation.texts)
        for question, gold in conversation.questions:
            answer = kb.search(question, within=("sessions",), grain="session", limit=50)
            found = [sessions[str(row["session"])] for row in answer]
            said = [remarks[str(row["id"])] for row in kb.search(question, within=("sessions",), limit=10)]
            where = {name.split(":")[0] for name in gold}
            for one in measured:
                one.sessions.add(found, where)
                one.remarks.add(said, gold)
                one.plain_sessions.add(plain_sessions.ranked(question), where)
                one.plain_remarks.add(plain_remarks.ranked(question), gold)
        kb.reload()


def _figures(all_: Measured, each: list[Measured]) -> Iterator[Figure]:
    def pair(name: str, ours: Ranks, plain: Ranks, figure: str, least: float | None) -> Figure:
        return Figure(name, ours.mean(figure), plain.mean(figure), at_least=least)

    for figure, least in (("hit@1", 0.78), ("hit@5", 0.95), ("MRR", 0.85), ("recall@10", 0.93)):
        yield pair(f"sessions: {figure}", all_.sessions, all_.plain_sessions, figure, least)
    for number, one in enumerate(each, start=1):
        yield pair(
            f"sessions: hit@1 of conversation {number}", one.sessions, one.plain_sessions, "hit@1", None
        )
    yield pair("remarks: hit@10", all_.remarks, all_.plain_remarks, "hit@10", 0.72)
    yield pair("remarks: hit@1", all_.remarks, all_.plain_remarks, "hit@1", None)


def main() -> int:
    """Measure, print, and give the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--conversations", default="1-5", help="numbers, for example 1-5")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    first, _, last = options.conversations.partition("-")
    all_, each = Measured.none(), []
    for conversation in _conversations(options.data, range(int(first), int(last or first) + 1)):
        each.append(Measured.none())
        _ask(conversation, [all_, each[-1]])
    return report(_figures(all_, each), as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
