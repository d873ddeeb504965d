"""An invented pi host: its sessions and its plane stores, written to folders as the host does."""

import json
import os

__all__ = [
    "CWD",
    "FIRST",
    "FOLDED",
    "KEY",
    "LATER",
    "LINE",
    "STOOD",
    "at",
    "boundary",
    "transcript",
    "write_hostile",
    "write_planes",
    "write_reads",
    "write_scope",
]

CWD, KEY = "/w/shop", "--w-shop--"
LINE = "total = sum(amounts)"


def boundary(number):
    return {"id": f"T{number}", "position": number, "parent": f"T{number - 1}" if number else None}


def write_scope(folder, records, version=3, **meta):
    folder.mkdir(parents=True, exist_ok=True)
    temporal = {
        "checkpoint": boundary(0),
        "patches": [boundary(number) for number, _ in records],
        "revision": len(records),
    }
    (folder / "checkpoint.json").write_text("{}")
    (folder / "patches.jsonl").write_text("".join(json.dumps(record) + "\n" for _, record in records))
    (folder / "meta.json").write_text(json.dumps({"version": version, "temporal": temporal, **meta}))


def entry(key, parent, type_="message", **more):
    return {"type": type_, "id": key, "parentId": parent, "timestamp": "2026-01-01T00:00:30.000Z", **more}


def pointer(key, parent, data):
    return entry(key, parent, "custom", customType="state-flow-snapshot", data=data)


def at(name, mode="active"):
    return {"boundary": name, "mode": mode, "step": 1}


def transcript(session, *pointers):
    """A session that is asked, points to its planes, and edits a file."""
    given = {"path": f"{CWD}/a.py", "oldText": "x", "newText": LINE}
    call = {"type": "toolCall", "id": "call1", "name": "edit", "arguments": given}
    answer = {
        "role": "toolResult",
        "toolCallId": "call1",
        "toolName": "edit",
        "content": [],
        "isError": False,
    }
    prompt = {"role": "user", "content": "Please add the sum of all of the amounts"}
    lines = [{"type": "session", "version": 3, "id": session, "cwd": CWD}, entry("e0", None, message=prompt)]
    for number, data in enumerate(pointers):
        lines.append(pointer(f"p{number}", lines[-1]["id"] if number else "e0", data))
    lines.append(entry("e1", lines[-1]["id"], message={"role": "assistant", "content": [call]}))
    lines.append(entry("e2", "e1", message=answer))
    lines.append(pointer("p9", "e2", at("T4")))
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()


def write_planes(root, changes, *sessions, since=0):
    """A plane store: the changes by scope, each with its position, from a checkpoint on; all sessions see the same."""
    head = max(number for records in changes.values() for number, _ in records)
    folders = {
        "global": [(root, {})],
        "cwd": [(root / KEY, {"owner": {"cwd": CWD}})],
        "session": [(root / KEY / session, {}) for session in sessions],
    }
    for scope, places in folders.items():
        for folder, meta in places:
            write_scope(folder, changes[scope], **meta)
            stated = json.loads((folder / "meta.json").read_text())
            stated["temporal"] |= {"checkpoint": boundary(since), "revision": 9}
            (folder / "meta.json").write_text(json.dumps(stated))
    for session in sessions:
        runtime = {
            "version": 1,
            "identity": {"cwd": CWD, "sessionId": session},
            "lineage": [boundary(number) for number in range(since, head + 1)],
        }
        (root / KEY / session / "runtime.json").write_text(json.dumps(runtime))


FIRST = {
    "global": [(1, {"intents": {"tidy": "small functions"}})],
    "cwd": [(2, {"intents": {"sum": {"$ref": "cwd.tactics.how"}}, "tactics": {"how": "builtin"}})],
    "session": [(3, {"intents": {"now": "write it"}})],
}
"""Changes by scope, each with the position of its boundary."""
LATER = {**FIRST, "cwd": [*FIRST["cwd"], (4, {"intents": {"sum": None, "next": "average"}})]}
"""What was accepted after that."""
FOLDED = {"global": [], "cwd": [], "session": [(5, {"lazy": {"x": 1}})]}
"""What is left of both in the store once its tails have been folded."""
STOOD = [
    ("session", "now", '"write it"'),
    ("cwd", "sum", '{"$ref":"cwd.tactics.how"}'),
    ("global", "tidy", '"small functions"'),
]
"""The intents after the first changes, as scope, name and value."""


def write_reads(path, *reads):
    """A session of the pi host that has read whole files."""
    lines = [{"type": "session", "version": 3, "id": "s1", "cwd": "/x"}]
    for number, read in enumerate(reads):
        block = {"v": 1, "pathKey": read["path"], "scopeKey": "full", "servedHash": read["served_hash"]}
        block |= {"mode": "full", "totalLines": 1, "rangeStart": 1, "rangeEnd": 1, "bytes": 1}
        message = {"role": "toolResult", "toolName": "read", "content": [], "details": {"readcache": block}}
        parent = f"e{number - 1}" if number else None
        lines.append({"type": "message", "id": f"e{number}", "parentId": parent, "message": message})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def write_hostile(root):
    """A plane store, one working directory a trick; for the location of each scope the reason of its refusal."""
    write_scope(root, [(1, {"tactics": {"fine": 1}})])
    patches = {
        "duplicate": (b'{"tactics":{"a":1,"a":2}}', "duplicate_key"),
        "huge": (b'{"tactics":{"a":1e999}}', "number_not_finite"),
        "digits": (b'{"tactics":{"a":' + b"9" * 5000 + b"}}", "number_not_finite"),
        "nan": (b'{"tactics":{"a":NaN}}', "number_not_finite"),
        "surrogate": (b'{"tactics":{"a":"\\ud800"}}', "lone_surrogate"),
        "bom": (b"\xef\xbb\xbf{}", "byte_order_mark"),
        "latin": (b'{"tactics":{"a":"\xe9"}}', "not_utf8"),
        "deep": (b'{"tactics":' + b'{"a":' * 5000 + b"1" + b"}" * 5001, "too_deep"),
        "long": (b'{"tactics":{"a":"' + b"x" * (10 << 20) + b'"}}', "too_long"),
        "null": (b'{"tactics":{"a":[null]}}', "null_stored"),
        "retired": (b'{"working":{"a":1}}', "retired_root"),
    }
    cycle = [{"id": "A", "position": 1, "parent": "B"}, {"id": "B", "position": 2, "parent": "A"}]
    reasons = {}

    def scope(name, reason, **more):
        folder = root / f"--w-{name}--"
        write_scope(folder, [(1, {"tactics": {"a": 1}})], **{"owner": {"cwd": f"/w/{name}"}, **more})
        reasons[folder.name] = reason
        return folder

    for name, (content, reason) in patches.items():
        (scope(name, reason) / "patches.jsonl").write_bytes(content + b"\n")
    scope("path", "owner_mismatch", owner={"cwd": "/w/../w/path"})
    scope("version", "unsupported_version", version=99)
    write_scope(scope("cycle", "boundary_order"), [(1, {}), (2, {})], owner={"cwd": "/w/cycle"})
    meta = root / "--w-cycle--" / "meta.json"
    stated = json.loads(meta.read_text())
    stated["temporal"]["patches"] = cycle[::-1]
    meta.write_text(json.dumps(stated))
    (scope("older", "older_format") / "state.json").write_text("{}")
    (root.parent / "outside.json").write_text(json.dumps({"secret": 1}))
    link = scope("link", "not_a_regular_file") / "meta.json"
    link.unlink()
    link.symlink_to(root.parent / "outside.json")
    pipe = scope("pipe", "not_a_regular_file") / "meta.json"
    pipe.unlink()
    os.mkfifo(pipe)
    (root / "--w-folder--").symlink_to(scope("away", None))
    (root / "--w-away--" / "patches.jsonl").unlink()
    reasons |= {"--w-folder--": "not_a_regular_file", "--w-away--": "partial_cohort"}
    (scope("session", None) / "..hidden").mkdir()
    del reasons["--w-session--"]
    return reasons | {"--w-session--/..hidden": "unsafe_name"}
