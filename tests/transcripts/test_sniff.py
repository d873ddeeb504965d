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
        (b'{"info":{},"messages":[{"info":{},"parts":[]}]}', "jsonl"),
        (b'{"kind":"of another host"}\n', "jsonl"),
        (b"", None),
        (b"\n\n\n", None),
        (b"# Notes\n", None),
    ],
)
def test_sniff(data: bytes, name: str | None) -> None:
    assert sniff(data) == name
