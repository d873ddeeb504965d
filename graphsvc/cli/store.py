"""Commands about the store itself: make it, name its sources, bring it up to date, look at it, recreate it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphsvc.cli.hosts import add_sessions_command
from graphsvc.cli.output import Section, print_report, report_options
from graphsvc.cli.progress import progress
from graphsvc.cli.root import Context, pass_context
from graphsvc.errors import Cancelled, SourceUnavailable

if TYPE_CHECKING:
    from graphsvc.canonical.registry import Source

__all__ = [
    "add_command",
    "init_command",
    "rebuild_command",
    "remove_command",
    "reset_command",
    "status_command",
    "verify_command",
]


@click.command("init")
@report_options
@pass_context
def init_command(context: Context, format_: str | None) -> None:
    """Make an empty store: .graphsvc in the working directory, unless --store names another folder.

    \b
    Example:
      graphsvc init
    """
    from graphsvc.knowledge import KnowledgeBase

    kb = KnowledgeBase.init(context.named_folder(), wait=context.wait)
    store = str(kb.store.folder.resolve())
    print_report("init", {"store": store}, [("made an empty store", ("store",), [(store,)])], format_=format_)


@click.group("add")
def add_command() -> None:
    """Name a source, for the next rebuild to read.

    \b
    Example:
      graphsvc add repo .
    """


@add_command.command("repo")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--ref",
    "references",
    multiple=True,
    default=("HEAD",),
    show_default=True,
    metavar="REF",
    help="Branch, tag or commit whose files are indexed as code; may be given several times.",
)
@click.option("--name", help="Name for people; the folder's name unless given.")
@click.option(
    "--checkpoint-branch", metavar="BRANCH", help="Branch of the agent checkpoints [entire/checkpoints/v1]."
)
@click.option("--private", "is_private", is_flag=True, help="Search it only where --project names it.")
@report_options
@pass_context
def repo_command(
    context: Context,
    path: Path,
    references: tuple[str, ...],
    name: str | None,
    checkpoint_branch: str | None,
    is_private: bool,
    format_: str | None,
) -> None:
    """Add the git repository at PATH: its history, its code and its agent checkpoints.

    \b
    Example:
      graphsvc add repo .
      graphsvc add repo ../service --ref main --ref v1.2 --name service
    """
    kb = context.open()
    before = {source.source_id: source.locator for source in kb.store.sources()}
    sources = kb.add_repository(
        path, references=references, name=name, checkpoint_branch=checkpoint_branch, is_private=is_private
    )
    moved = {before.get(source.source_id, source.locator) for source in sources} - {sources[0].locator}
    for locator in sorted(moved):
        click.echo(f"note: it replaces {locator}, a clone of the same repository", err=True)
    _print_sources(sources, format_)


@add_command.command("edits")
@report_options
@pass_context
def edits_command(context: Context, format_: str | None) -> None:
    """Have rebuilds trace which symbols the tool calls of sessions edited.

    Each edit's file is parsed as it was then, once, where the host keeps it: the first rebuild takes longer. `graphsvc
    status` counts the edits whose snapshot is not known.

    \b
    Example:
      graphsvc add edits
    """
    _print_sources([context.open().add_edits()], format_)


_path = click.argument("path", type=click.Path(exists=True, path_type=Path))
_name = click.option("--name", help="Name for people; the folder's name unless given.")


@add_command.command("planes")
@_path
@_name
@report_options
@pass_context
def planes_command(context: Context, path: Path, name: str | None, format_: str | None) -> None:
    """Add the plane store of the pi host at PATH; it is read and never written.

    \b
    Example:
      graphsvc add planes ~/.pi/agent/state-flow
    """
    _print_sources([context.open().add_planes(path, name=name)], format_)


@add_command.command("scip")
@_path
@click.option(
    "--repo", "repository", help="Name of the repository that it is of; needed where there are several."
)
@_name
@report_options
@pass_context
def scip_command(
    context: Context, path: Path, repository: str | None, name: str | None, format_: str | None
) -> None:
    """Add the SCIP index at PATH: references as precise as the indexer of a compiler or language server.

    Each document of it joins the file that it was made from, in whichever indexed snapshot holds that; documents of
    files that have changed since are counted as stale.

    \b
    Example:
      scip-typescript index && graphsvc add scip index.scip
    """
    source = context.open().add_scip(path, repository=repository, name=name)
    _print_sources([source], format_)


def _print_sources(
    sources: Sequence[Source],
    format_: str | None,
    *,
    command: str = "add",
    title: str = "sources for the next rebuild",
) -> None:
    columns = ("name", "loader", "locator")
    rows = [(source.name, source.loader, source.locator) for source in sources]
    document = {"sources": [dict(zip(columns, row, strict=True)) for row in rows]}
    print_report(command, document, [(title, columns, rows)], format_=format_)


add_command.add_command(add_sessions_command)


@click.command("remove")
@click.argument("name")
@report_options
@pass_context
def remove_command(context: Context, name: str, format_: str | None) -> None:
    """Read the source called NAME no more. What the store has of it stays, in the graph too.

    \b
    Example:
      graphsvc remove service
    """
    _print_sources(context.open().remove(name), format_, command="remove", title="no more read")


@click.command("rebuild")
@report_options
@pass_context
def rebuild_command(context: Context, format_: str | None) -> None:
    """Read what is new in all sources, and publish a verified graph of it.

    A source that cannot be read now does not stop the others: it is named in the report, and the exit status is
    that of an unavailable source.

    \b
    Example:
      graphsvc rebuild
      graphsvc rebuild --format json > report.json
    """
    with progress() as report_progress:
        report = context.open().rebuild(report_progress).to_dict()
    print_report("rebuild", report, _rebuild_sections(report), format_=format_)
    if report["unavailable"]:
        names = ", ".join(report["unavailable"])
        raise SourceUnavailable(f"not all sources could be read: {names}")


def _rebuild_sections(report: Mapping[str, Any]) -> list[Section]:
    generation = report["generation"]
    is_new = generation["is_new"]
    made = f"{generation['tables_made']} of {len(generation['labels'])} tables made"
    state = f"new: {made}" if is_new else "unchanged: nothing new"
    gaps = generation["coverage"]["gaps"]
    counts = ("read", "admitted", "skipped", "faults")
    return [
        (
            "graph",
            ("generation", "state", "root digest", "retired", "quarantined"),
            [
                (
                    generation["number"],
                    state,
                    generation["root_digest"],
                    generation["retired"],
                    generation["quarantined"],
                )
            ],
        ),
        (
            "sources",
            ("name", "loader", *counts, "seconds"),
            [
                (one["name"], one["loader"], *(one[count] for count in counts), one["seconds"])
                for one in report["sources"]
            ],
        ),
        ("sources that could not be read", ("source", "why"), list(report["unavailable"].items())),
        (
            "tables of the graph",
            ("table", "rows", "left out"),
            [(name, label["rows"], gaps.get(name)) for name, label in generation["labels"].items() if is_new],
        ),
        (
            "stages",
            ("stage", "seconds", "peak MiB"),
            [(s["name"], s["seconds"], _mebibytes(s["peak_memory"])) for s in report["stages"]],
        ),
    ]


@click.command("status")
@report_options
@pass_context
def status_command(context: Context, format_: str | None) -> None:
    """Show what the store has of each source, and whether its graph is current.

    \b
    Example:
      graphsvc status
      graphsvc status --format json
    """
    status = context.open().status().to_dict()
    print_report("status", status, _status_sections(status), format_=format_)


def _status_sections(status: Mapping[str, Any]) -> list[Section]:
    coverage, sizes = status["coverage"], status["bytes_on_disk"]
    if coverage["generation"] is None:
        state = "no graph yet: run `graphsvc rebuild`"
    else:
        state = "current" if coverage["is_current"] else "older than the evidence: run `graphsvc rebuild`"
    return [
        (
            "store",
            ("folder", "canonical MiB", "graphs MiB", "batches", "watermark"),
            [
                (
                    status["store"],
                    _mebibytes(sizes["canonical"]),
                    _mebibytes(sizes["generations"]),
                    status["receipts"],
                    status["watermark"],
                )
            ],
        ),
        (
            "graph",
            ("generation", "state", "published at", "engine", "root digest"),
            [
                (
                    coverage["generation"],
                    state,
                    status["published_at"],
                    status["engine"],
                    coverage["root_digest"],
                )
            ],
        ),
        (
            "sources",
            ("name", "loader", "events", "withdrawn", "faults", "newest", "reads", "locator"),
            [
                (
                    one["name"],
                    one["loader"],
                    sum(one["events"].values()),
                    one["withdrawn"],
                    one["faults"],
                    one["newest"],
                    one["generation"],
                    one["locator"],
                )
                for one in status["sources"]
            ],
        ),
        (
            "events",
            ("name", "loader", "kind", "events"),
            [
                (one["name"], one["loader"], *kind)
                for one in status["sources"]
                for kind in one["events"].items()
            ],
        ),
        ("indexed snapshots", ("reference", "commit"), list(coverage["snapshots"].items())),
        ("edges left out, an end being unknown", ("table", "edges"), list(coverage["gaps"].items())),
        (
            "references of code that lead nowhere",
            ("reason", "references"),
            list(coverage["unresolved"].items()),
        ),
        (
            "what SCIP indexes say of references, against resolution",
            ("outcome", "references"),
            list(status["agreement"].items()),
        ),
        (
            "edits traced to symbols (`graphsvc add edits`)",
            ("state", "calls"),
            list(coverage["edits"].items()),
        ),
    ]


@click.command("verify")
@click.option("--quick", is_flag=True, help="Do not hash the bytes of segments, nor read the graphs back.")
@report_options
@pass_context
def verify_command(context: Context, quick: bool, format_: str | None) -> None:
    """Check that the store's bytes are what was written.

    The ledger's chain, where evidence lies, the digest of every segment, and each graph generation, read back
    and compared with its digests; the newest one is projected from the evidence once more and compared as well.
    Where something is wrong, the exit status is that of a corrupt store.

    \b
    Example:
      graphsvc verify
      graphsvc verify --quick --format json
    """
    with progress() as report_progress:
        verification = context.open().verify(deep=not quick, progress=report_progress)
    rows = [
        (check.name, check.checked, "ok" if check.ok else check.findings) for check in verification.checks
    ]
    sections: list[Section] = [("checks", ("check", "looked at", "outcome"), rows)]
    print_report("verify", verification.to_dict(), sections, format_=format_)
    verification.require_ok()


@click.command("reset")
@click.option("--discard", is_flag=True, help="Delete the old bytes instead of keeping them aside.")
@click.option("--yes", is_flag=True, help="Do not ask before deleting.")
@report_options
@pass_context
def reset_command(context: Context, discard: bool, yes: bool, format_: str | None) -> None:
    """Recreate the store, empty, whatever state it is in.

    The old bytes are kept beside it as .graphsvc.reset-1, -2, ... unless --discard is given. Nothing but the one
    store is touched; its sources have to be added again.

    \b
    Example:
      graphsvc reset
      graphsvc --store /data/old/.graphsvc reset --discard --yes
    """
    from graphsvc.knowledge import reset

    folder = context.folder()
    if discard and not yes and not _is_confirmed(f"Delete the store in {folder}?"):
        raise Cancelled("nothing was deleted", hint="answer y, or give --yes")
    report = reset(folder, keep=not discard, wait=context.wait).to_dict()
    rows = [(report["store"], report["kept"] or "discarded")]
    print_report("reset", report, [("made an empty store", ("store", "old bytes"), rows)], format_=format_)


def _is_confirmed(question: str) -> bool:
    """Whether a person says yes; where nobody can be asked, it is no."""
    try:
        return click.confirm(question, err=True)
    except click.Abort:
        click.echo(err=True)
        return False


def _mebibytes(size: int | None) -> float | None:
    return None if size is None else round(size / (1 << 20), 1)
