"""The access scope of a request: which repositories it may read, frozen before anything is looked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from graphsvc.canonical.registry import Source
from graphsvc.errors import NotFound

__all__ = ["AccessScope", "access_scope"]


class AccessScope(NamedTuple):
    """What a request may read.

    Attributes:
        repositories: Identities of the repositories that it is limited to, sorted; none for all that are not withheld.
        withheld: Identities of the private repositories that it must not read, sorted.
        notes: A sentence for each of these, so that "nothing" is never taken for "not there".
    """

    repositories: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def access_scope(sources: Iterable[Source], names: Iterable[str] = ()) -> AccessScope:
    """The scope of a request that names these projects; a private one is read only where it is named.

    Args:
        sources: All registered sources.
        names: Names of repositories' sources.

    Raises:
        NotFound: No repository has one of the names.
    """
    known = {
        source.name: (str(source.options["repository_id"]), bool(source.options.get("private")))
        for source in sources
        if source.options.get("repository_id")
    }
    names = sorted(set(names))
    for name in names:
        if name not in known:
            hint = (
                f"the projects are {', '.join(sorted(known))}" if known else "run `graphsvc add repo` first"
            )
            raise NotFound(f"no source is called {name!r}", hint=hint)
    wanted = sorted({known[name][0] for name in names})
    withheld = {
        name: repository
        for name, (repository, is_private) in sorted(known.items())
        if is_private and repository not in wanted
    }
    notes = tuple(f"{name} is private and withheld: name it with --project {name}" for name in withheld)
    return AccessScope(tuple(wanted), tuple(sorted(set(withheld.values()))), notes)
