"""Formats are told by content."""

import pytest

from loaders.transcripts.sniff import sniff


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b'{"type":"file-history-snapshot","messageId":"1","snapshot":{}}\n', "claude"),
        (b'{"parentUuid":"x","type":"brand-new"}\n', "claude"),
        (b'broken\n{"type":"user","message":{}}\n', "claude"),
        (b'{"timestamp":"t","type":"event_msg","payload":{}}\n', "codex"),
        (b'{"v":1,"agent":"claude-code","type":"user","content":[]}\n', "compact"),
        (b'{\n  "sessionId": "s",\n  "messages": []\n}', "gemini"),
        (b'{"sessionId":"s","messages":[]}', "gemini"),
        (b'{"info":{},"messages":[{"info":{},"parts":[]}]}', "opencode"),
        (b'{\n  "info": {"id": "ses_1"},\n  "messages": []\n}', "opencode"),
        (b'{"type":"session","version":3,"id":"s","cwd":"/a"}\n', "pi"),
        (b'{"type":"session.start","data":{"sessionId":"s"},"id":"1"}\n', "copilot"),
        (b'{"role":"user","message":{"content":[]}}\n', "cursor"),
        (b'{"composerId":"c","messages":[{"type":1}]}', "cursor_bubbles"),
        (b'[\n  {"role": "user", "content": []}\n]', "cline"),
        (b'{\n  "version": 1,\n  "sessionId": "s",\n  "messages": [{"role": "user"}]\n}', "cline"),
        (b'{"sessionId":"s","startTime":"t","kind":"main"}\n', "gemini_lines"),
        (b'{"id":"s","timestamp":"t","instructions":null}\n{"record_type":"state"}\n', "codex"),
        (b'{"kind":"of another host"}\n', "jsonl"),
        (b"", None),
        (b"\n\n\n", None),
        (b"# Notes\n", None),
    ],
)
def test_sniff(data: bytes, name: str | None) -> None:
    assert sniff(data) == name
