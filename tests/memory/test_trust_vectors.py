"""The vectors of read trust."""

import json

from graphsvc.memory.trust.entries import parse_session
from graphsvc.memory.trust.replay import snapshot


def spelled_out(hash_):
    """The vectors abbreviate a hash of 64 equal letters."""
    return hash_[0] * 64 if hash_ is not None and hash_.endswith("*64") else hash_


def test_readcache_vectors(readcache_case):
    lines = [line if isinstance(line, str) else json.dumps(line) for line in readcache_case["session_lines"]]
    tree = parse_session("\n".join(lines).encode())
    leaf = readcache_case.get("leaf_override", tree.current)
    found = snapshot(tree, leaf)

    assert leaf == readcache_case["leaf"]
    assert [entry.id for entry in tree.branch(leaf).entries] == readcache_case["branch"]
    assert (found.window.start, found.window.boundary) == (
        readcache_case["start"],
        readcache_case["boundary"],
    )
    assert found.reads == readcache_case["validMetas"]
    assert len(found.steps) - found.reads == readcache_case["validInvalidations"]
    assert found.trust == {
        path: {scope: (spelled_out(hash_), seq) for scope, (hash_, seq) in scopes.items()}
        for path, scopes in readcache_case["trust"].items()
    }
    assert sorted(scope for scopes in found.blocked.values() for scope in scopes) == readcache_case["blocked"]
    for asked, hash_ in readcache_case["base"].items():
        base = found.base(*asked.rsplit("#", 1))
        assert (base and base.hash) == spelled_out(hash_)
