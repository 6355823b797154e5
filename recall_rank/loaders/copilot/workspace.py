"""The working folder and repository of a Copilot CLI session, from the YAML file next to its events and from the
events.
"""

from __future__ import annotations

import re

import orjson

from recall_rank.loaders.content.values import text_of
from recall_rank.loaders.json.parse import Record

_LINE = re.compile(r"([A-Za-z_]\w*):(?:[ \t]+(.*?))?[ \t]*\r?")
_BLOCK = re.compile(r"^[|>][+-]?\d?$")


def workspace_of(text: str) -> dict[str, str]:
    """Return a mapping from name to value of every plain `name: value` line of the text. Indented lines continue the
    value above them; other lines are skipped.
    """
    found: dict[str, str] = {}
    name: str | None = None
    for line in text.removeprefix("\ufeff").split("\n"):
        if line[:1] in {" ", "\t"}:  # continuation of a long value
            if name is not None:
                found[name] = f"{found[name]} {line.strip()}".strip()
            continue
        read = _LINE.fullmatch(line)
        name = read[1] if read else None
        if read and name is not None:
            found[name] = _BLOCK.sub("", read[2] or "", count=1)
    return {name: _plain(value) for name, value in found.items()}


def _plain(value: str) -> str:
    """Return the value without its quotes."""
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return str(orjson.loads(value))
        except ValueError:
            return value[1:-1]
    return "" if value in {"null", "~"} else value


def remote_of(context: Record) -> str | None:
    """Return the repository that an event names, as "host/path", where the host is github.com unless the event names
    another; None when the event names no repository.
    """
    name = text_of(context.get("repository"))
    hosts = {"github": "github.com", "ado": "dev.azure.com"}
    host = text_of(context.get("repositoryHost")) or "github.com"
    return f"{hosts.get(host, host)}/{name}" if name and "/" in name else None
