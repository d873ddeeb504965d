"""Tables that nothing new bears on are taken over from the generation before, and are what they would be otherwise."""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

from graphsvc.canonical import sql
from graphsvc.canonical.views import _definitions, reading_of
from graphsvc.graph.digest import LabelDigest
from graphsvc.kinds import DERIVED, KINDS, LEDGER
from graphsvc.knowledge import KnowledgeBase
from loaders.base import silent
from loaders.code_graph import SCHEMAS
from loaders.projection.inputs import CODE_TABLES, SHARED_VIEWS, Inputs
from loaders.projection.kept import FOLDER, read_before
from loaders.projection.project import project
from loaders.snapshots import IndexedCode
from tests.rebuild.conftest import Sample
from tests.repositories import RepositoryBuilder
from tests.sessions.hosts import claude
from tests.transcripts.ingestion import jsonl

TABLES = 56
KNOWN = KINDS.keys() | LEDGER.keys() | DERIVED.keys() | CODE_TABLES | SHARED_VIEWS | _definitions().keys()
CHECKPOINTS = "refs/heads/entire/checkpoints/v1"
CWD = "/home/ada/tally"


def published(kb: KnowledgeBase) -> dict[str, LabelDigest]:
    """The tables of the newest generation."""
    labels = kb.store.generations()[0].labels
    return {name: LabelDigest(name, label["rows"], label["digest"]) for name, label in labels.items()}


def projected(kb: KnowledgeBase, folder: Path) -> dict[str, LabelDigest]:
    """What the tables are if all of them are made."""
    folder.mkdir()
    with kb.store.read() as reader:
        code = IndexedCode(kb.store, reader, silent)
        nothing = read_before(reader, folder / "none", 0, code.names)
        made = project(Inputs(reader, lambda: code.tables), nothing, folder, lambda tables: None)
    assert made.made == TABLES
    return {digest.label: digest for digest in made.digests}


@dataclass
class World:
    """A store with sources of all kinds, and what can happen to them."""

    kb: KnowledgeBase
    builder: RepositoryBuilder
    sessions: Path
    count: int = 0
    facts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.checkpoints = self.builder.git("rev-parse", CHECKPOINTS)
        self.sessions.mkdir()
        self.add_session()
        self.kb.add_sessions("claude-code", self.sessions)

    def commit(self) -> None:
        """Change a function and add a file."""
        text = f"def total_{self.count}(entries):\n    return sum(entries) + {self.count}\n"
        self.builder.commit({"tally/ledger.py": text, f"notes/{self.count}.md": "# Note\n"}, "Change the sum")

    def touch(self) -> None:
        """Commit a comment."""
        text = self.builder.git("show", "main:tally/money.py")
        self.builder.commit({"tally/money.py": f"{text}\n# {self.count}\n"}, "Say more")

    def undo(self) -> None:
        """Let the newest commit go."""
        if len(self.builder.git("rev-list", "main").split()) > 2:
            self.builder.reference("refs/heads/main", self.builder.git("rev-parse", "main~1"))

    def switch_checkpoints(self) -> None:
        """Remove the branch of checkpoints, or bring it back."""
        there = self.builder.git("for-each-ref", "--format=%(objectname)", CHECKPOINTS)
        self.builder.reference(CHECKPOINTS, None if there else self.checkpoints)

    def add_session(self) -> None:
        session = f"11111111-1111-4111-8111-{self.count:012d}"
        records = [
            claude(1, session=session, message={"role": "user", "content": "Why does tally/money.py round?"}),
            claude(2, "assistant", session=session),
        ]
        (self.sessions / f"{session}.jsonl").write_bytes(jsonl(*records))

    def remove_session(self) -> None:
        next(self.sessions.glob("*.jsonl")).unlink()
        self.add_session()

    def remember(self) -> None:
        [fact] = self.kb.memory.remember(f"Sums are checked {self.count} times")
        self.facts.append(str(fact["fact"]))

    def forget(self) -> None:
        if self.facts:
            self.kb.memory.forget(self.facts.pop())

    def author(self) -> None:
        """Author a patch of agent state."""
        self.kb.planes.patch({"global": {"tactics": {f"a{self.count}": self.count}}}, cwd=CWD)

    def rename(self) -> None:
        """Give the repository another name for people."""
        self.kb.add_repository(self.builder.path, name=f"tally{self.count}")


CHANGES: tuple[Callable[[World], None], ...] = (
    World.commit,
    World.touch,
    World.undo,
    World.switch_checkpoints,
    World.add_session,
    World.remove_session,
    World.remember,
    World.forget,
    World.author,
    World.rename,
)


@pytest.fixture
def world(sample: Sample, tmp_path: Path) -> World:
    return World(sample.open(), RepositoryBuilder.existing(sample.repository), tmp_path / "sessions")


def test_what_is_taken_over_is_what_would_be_made(world: World, tmp_path: Path) -> None:
    order = random.Random(1).sample(CHANGES, len(CHANGES))
    taken_over = 0
    for world.count, change in enumerate(order, 1):
        change(world)
        report = world.kb.rebuild()
        taken_over += TABLES - report.generation.tables_made
        assert published(world.kb) == projected(world.kb, tmp_path / f"{world.count}"), change.__name__
    assert taken_over > 4 * TABLES


def test_a_commit_leaves_sessions_and_memory_alone(world: World) -> None:
    world.kb.rebuild()
    world.touch()
    with made_by_sql() as made:
        world.kb.rebuild()

    about = {"Session", "Turn", "ToolCall", "Fact", "PlaneItem", "Checkpoint"}
    assert made
    assert not {name for name in made if set(name.split("-")[::2]) <= about}
    assert not {"timeline", "record_place", "turn_word"} & made


def test_a_session_leaves_code_and_history_alone(world: World) -> None:
    world.kb.rebuild()
    world.count = 1
    world.add_session()
    with made_by_sql() as made:
        world.kb.rebuild()

    about = {"Symbol", "File", "Commit", "Fact", "PlaneItem", "Checkpoint"}
    assert {"Session", "Turn", "Session-HAS_TURN-Turn"} <= made
    assert not {name for name in made if set(name.split("-")[::2]) <= about}


@contextmanager
def made_by_sql() -> Iterator[set[str]]:
    """Names of the tables and shared views whose SQL runs."""
    from loaders.projection import project as module

    made: set[str] = set()
    make_table, make_view = module._Projector._make, Inputs._make

    def table(self: object, one: module._Statement) -> None:
        made.add(one.name)
        make_table(self, one)  # type: ignore[arg-type]

    def view(self: Inputs, name: str) -> None:
        if name not in self._files:
            made.add(name)
        make_view(self, name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module._Projector, "_make", table)
        patch.setattr(Inputs, "_make", view)
        yield made


@pytest.mark.parametrize("damage", ["file", "list", "missing file"])
def test_what_is_damaged_is_made_anew(world: World, damage: str, tmp_path: Path) -> None:
    world.kb.rebuild()
    folder = world.kb.store.folder / "generations" / world.kb.store.generations()[0].folder / FOLDER
    file = folder / ("tables.json" if "list" in damage else "Turn.parquet")
    if "missing" in damage:
        file.unlink()
    else:
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
    world.touch()
    report = world.kb.rebuild()

    assert report.generation.is_new
    assert report.generation.tables_made == TABLES or "file" in damage
    assert published(world.kb) == projected(world.kb, tmp_path / "made")


@pytest.mark.parametrize(
    "listed",
    [
        "[]",
        "{}",
        "null",
        '{"version": "VERSION", "basis": {}, "tables": []}',
        '{"version": "VERSION", "basis": {}, "tables": {"Turn": {}}}',
        '{"version": "VERSION", "basis": {}, "tables": {"Turn": {"rules": "", "more": 1}}}',
        '{"version": "VERSION", "basis": {}, "tables": {"Turn": {"rules": "", "rows": "many"}}}',
        '{"version": "VERSION", "basis": {}, "tables": {"Turn": {"rules": null}}}',
        '{"version": "VERSION of another engine", "basis": {}, "tables": {"Turn": {"rules": ""}}}',
    ],
)
def test_a_list_of_another_version_says_nothing(world: World, listed: str) -> None:
    head = world.kb.store.generations()[0]
    folder = world.kb.store.folder / "generations" / head.folder
    file = folder / FOLDER / "tables.json"
    with world.kb.store.read() as reader:
        before = read_before(reader, folder, head.receipt, ())
        assert before.tables.keys() > {"Turn", "File", "known_file"}
        listed = listed.replace("VERSION", before.version)
        file.write_text(f"{hashlib.sha256(listed.encode()).hexdigest()}\n{listed}")
        assert read_before(reader, folder, head.receipt, ()).tables == {}
        file.unlink()
        file.mkdir()
        assert read_before(reader, folder, head.receipt, ()).tables == {}


def test_without_links_files_are_copied(world: World, tmp_path: Path) -> None:
    world.kb.rebuild()
    world.touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("loaders.projection.kept.os.link", no_links)
        report = world.kb.rebuild()

    assert report.generation.tables_made < TABLES
    assert published(world.kb) == projected(world.kb, tmp_path / "made")


def no_links(source: Path, target: Path) -> None:
    raise OSError("a file system without links")


def test_what_sql_reads_is_found_in_its_text() -> None:
    """DuckDB's own list of the tables that a statement names is the truth."""
    untold = {"generation", "pack", "processed_session", "receipt", "segment"} | DERIVED.keys()
    assert untold < LEDGER.keys() | DERIVED.keys()
    for name, text in [*projection_files(), *views_of_projection()]:
        named = tables_of(text) & KNOWN
        assert named, name
        assert named <= reading_of(text, SHARED_VIEWS).names, name
        assert not named & untold, f"{name} reads what no list of changes tells of"


def tables_of(query: str) -> set[str]:
    """Names of the tables in a query, as DuckDB parses it."""
    with duckdb.connect() as connection:
        [(text,)] = connection.execute("SELECT json_serialize_sql($query)", {"query": query}).fetchall()
    parsed, found = json.loads(text), set()
    assert not parsed["error"], parsed
    left = [parsed]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            found.add(node.get("table_name", "") if node.get("type") == "BASE_TABLE" else "")
        left += node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return found - {""}


def projection_files() -> Iterator[tuple[str, str]]:
    from loaders.projection.project import _statements

    for folder in ("nodes", "edges"):
        yield from _statements(folder)


def views_of_projection() -> Iterator[tuple[str, str]]:
    """The views that the files read, as the queries that they stand for."""
    read = {name for _, text in projection_files() for name in reading_of(text).names}
    for name, definition in _definitions().items():
        if name in read and " VIEW " in definition.statement:
            yield name, re.split(r"\bAS\b", definition.statement, maxsplit=1)[1]


def test_the_code_tables_are_those_that_resolution_gives() -> None:
    assert SCHEMAS.keys() == CODE_TABLES


def test_the_basis_has_no_place_for_what_receipts_tell(world: World) -> None:
    with world.kb.store.read() as reader:
        [(basis, _)] = reader.rows(sql.load("loaders.projection", "basis.sql"))
    assert basis.keys() == {"part", "source"} & LEDGER.keys()


def test_verification_finds_a_table_that_should_not_have_been_taken_over(world: World) -> None:
    world.kb.rebuild()
    assert world.kb.verify().ok
    world.remember()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("loaders.projection.kept.sql", SimpleNamespace(load=nothing_has_changed))
        world.kb.rebuild()
    [found] = [check for check in world.kb.verify().checks if not check.ok]
    newest = world.kb.store.generations()[0]
    shutil.rmtree(world.kb.store.folder / "generations" / newest.folder)
    world.kb.rebuild()

    assert found.name == f"projection {newest.number}"
    assert any(finding.startswith("Fact is not what the evidence gives") for finding in found.findings)
    assert world.kb.verify().ok


def nothing_has_changed(package: str, name: str) -> str:
    text = sql.load(package, name)
    return f"SELECT * FROM ({text}) LIMIT 0" if name == "changed.sql" else text


def forge(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change a list of tables, and give it a seal that fits."""
    file = folder / FOLDER / "tables.json"
    listed = json.loads(file.read_text().partition("\n")[2])
    change(listed["tables"])
    text = json.dumps(listed)
    file.write_text(f"{hashlib.sha256(text.encode()).hexdigest()}\n{text}")


def test_a_list_cannot_lead_to_other_files(world: World, tmp_path: Path) -> None:
    world.kb.rebuild()
    victim = tmp_path / "victim.parquet"
    victim.write_text("mine")
    folder = world.kb.store.folder / "generations" / world.kb.store.generations()[0].folder
    forge(folder, lambda tables: tables.update({str(victim.with_suffix("")): tables["Session"]}))
    forge(folder, lambda tables: tables.update({"../../../store": tables["Session"]}))
    world.touch()
    world.kb.rebuild()

    assert victim.read_text() == "mine"
    assert (world.kb.store.folder / "store.json").exists()
    assert published(world.kb) == projected(world.kb, tmp_path / "made")


@pytest.mark.parametrize("wrong", ["digest", "rows", "left out", "file"])
def test_what_is_wrong_under_a_seal_that_fits_is_made_anew(world: World, wrong: str, tmp_path: Path) -> None:
    world.kb.rebuild()
    folder = world.kb.store.folder / "generations" / world.kb.store.generations()[0].folder
    if wrong == "file":
        (folder / FOLDER / "Session.parquet").unlink()
        (folder / FOLDER / "Session.parquet").write_text("no table")
        seal = hashlib.sha256(b"no table").hexdigest()
        forge(folder, lambda tables: tables["Session"].update(seal=seal))
    elif wrong == "left out":
        forge(folder, lambda tables: tables.pop("Session"))
    else:
        value: object = 7 if wrong == "rows" else "0" * 64
        forge(folder, lambda tables: tables["Session"].update({wrong: value}))
    world.touch()
    report = world.kb.rebuild()

    assert report.generation.is_new
    assert published(world.kb) == projected(world.kb, tmp_path / "made")
