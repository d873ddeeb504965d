"""Cline and its relatives: a folder a task with the messages of the API, below the storage of the extension."""

from loaders.sessions.base import Host
from loaders.sessions.files import matching

__all__ = ["HOST", "refresh"]

_EXTENSIONS = ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline", "kilocode.kilo-code")
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")

HOST = Host(
    "cline",
    "Cline",
    (
        ".cline/data/sessions",
        *(
            f"{base}/{editor}/User/globalStorage/{extension}/tasks"
            for base in (".config", "Library/Application Support")
            for editor in _EDITORS
            for extension in _EXTENSIONS
        ),
    ),
    matching(
        "api_conversation_history.json",
        ".messages.json",
        usage=("ui_messages.json",),
        metadata=("task_metadata.json", "history_item.json"),
    ),
)
refresh = HOST.refresh
