"""Memory scopes: where a fact holds, and which scopes a recall reads.

A scope is three levels, from the outside in. In graphsvc they are filled like this, and always all the way
from the outside, so that a writer and a reader on one machine can never miss each other by a level that only
one of them sets:

============  ==========================================================================================
instance      the store (``store_id`` of ``store.json``): what holds on this machine, for every project
project       the project of the working directory's repository (:class:`~graphsvc.ids.ProjectId`)
workspace     the worktree, or the working directory where there is no repository
============  ==========================================================================================

The scope with no level set is the *global* scope. A scope encloses another one when blanking the inner levels
of the second, one at a time, leads to the first; two scopes that merely share a level are strangers.

>>> place = Scope("m1", "shop", "checkout-fix")
>>> [scope.levels for scope in place.ancestors()]
[('m1', 'shop', 'checkout-fix'), ('m1', 'shop', ''), ('m1', '', ''), ('', '', '')]

What a recall reads is a :class:`ScopeFilter`, and asking for everything, for the global scope alone and for
one scope are three different requests:

>>> ALL.admits(place), GLOBAL_ONLY.admits(place), at(place).admits(place)
(True, False, True)
>>> at(place).admits(GLOBAL), at(place).with_ancestors().admits(GLOBAL)
(False, True)

These scopes are not the scopes of planes (:mod:`graphsvc.memory.planes`), where an inner value hides an outer
one: here every level that matches is returned.
"""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass, replace
from typing import Literal

from graphsvc.errors import InvalidInput

__all__ = [
    "ALL",
    "GLOBAL",
    "GLOBAL_ONLY",
    "Level",
    "Scope",
    "ScopeFilter",
    "at",
    "check_instance",
    "scope_filter",
]

Level = Literal["global", "instance", "project", "workspace"]


@dataclass(frozen=True, slots=True)
class Scope:
    """A memory scope: instance, project and workspace; an empty text means that the level is not set.

    Scopes are equal when all three texts are; nothing is folded, trimmed or normalised, and every
    combination of set and unset levels is legal.
    """

    instance: str = ""
    project: str = ""
    workspace: str = ""

    def __post_init__(self) -> None:
        if not all(isinstance(level, str) for level in self.levels):
            raise InvalidInput(f"the levels of a scope are texts, not {self.levels!r}")

    @property
    def levels(self) -> tuple[str, str, str]:
        """Instance, project, workspace."""
        return (self.instance, self.project, self.workspace)

    @property
    def depth(self) -> int:
        """Number of the innermost level that is set: 0 for global, 3 for a workspace.

        It ranks the scopes of one chain; between strangers it says nothing.

        >>> Scope(project="shop").depth, Scope("m1", "shop").depth
        (2, 2)
        """
        return max((number for number, level in enumerate(self.levels, start=1) if level), default=0)

    def ancestors(self) -> tuple[Scope, ...]:
        """The chain from this scope out to the global one, both included.

        A level that is not set is passed over, never invented.

        >>> [scope.levels for scope in Scope(project="shop").ancestors()]
        [('', 'shop', ''), ('', '', '')]
        """
        chain = [self]
        for name, level in (
            ("workspace", self.workspace),
            ("project", self.project),
            ("instance", self.instance),
        ):
            if level:
                chain.append(replace(chain[-1], **{name: ""}))
        return tuple(chain)

    def level(self, name: Level) -> Scope:
        """The scope of one level around here.

        >>> Scope("m1", "shop", "fix").level("project")
        Scope(instance='m1', project='shop', workspace='')
        """
        kept = ("global", "instance", "project", "workspace").index(name)
        return Scope(*self.levels[:kept])

    @property
    def key(self) -> str:
        """The scope as one text, a JSON array: no two scopes share one, whatever their levels contain.

        >>> Scope("a/b", "").key, Scope("a", "b").key
        ('["a/b","",""]', '["a","b",""]')
        """
        return json.dumps(astuple(self), ensure_ascii=False, separators=(",", ":"))


GLOBAL = Scope()


@dataclass(frozen=True, slots=True)
class ScopeFilter:
    """The scopes that a recall reads.

    Attributes:
        chain: The scopes, innermost first; None reads every scope.
    """

    chain: tuple[Scope, ...] | None

    @property
    def ranks_by_scope(self) -> bool:
        """Whether the depth of a fact's scope decides its place before its time does."""
        return self.chain is not None and len(self.chain) > 1

    def admits(self, scope: Scope) -> bool:
        """Whether a fact of this scope is read."""
        return self.chain is None or scope in self.chain

    def with_ancestors(self) -> ScopeFilter:
        """The same request, widened to the enclosing scopes."""
        return self if self.chain is None else ScopeFilter(self.chain[0].ancestors())


ALL = ScopeFilter(None)
GLOBAL_ONLY = ScopeFilter((GLOBAL,))


def at(scope: Scope) -> ScopeFilter:
    """Exactly this scope; ``at(GLOBAL)`` is :data:`GLOBAL_ONLY`."""
    return ScopeFilter((scope,))


def scope_filter(scope: Scope, include_ancestors: bool) -> ScopeFilter:
    """The filter of a request that says "no scope" by the empty one, as other memory stores do.

    >>> scope_filter(GLOBAL, include_ancestors=True) == ALL
    True
    """
    if scope == GLOBAL:
        return ALL
    return at(scope).with_ancestors() if include_ancestors else at(scope)


def check_instance(scope: Scope, instance: str) -> None:
    """Refuse a scope that a store which fills the instance with ``instance`` could never read back by level.

    Raises:
        InvalidInput: The scope sets an inner level but no instance, or ``instance`` is empty and it sets one.

    >>> check_instance(Scope("m1", "shop"), "m1")
    """
    if scope != GLOBAL and bool(scope.instance) != bool(instance):
        found, wanted = ("sets", "never sets") if scope.instance else ("leaves out", "always sets")
        raise InvalidInput(
            f"the scope {scope.key} {found} the instance, which this store {wanted}",
            hint="give the scope by level: global, instance, project or workspace",
        )
