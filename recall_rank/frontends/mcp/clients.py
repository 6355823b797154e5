"""The MCP clients whose ways are known, by the name that a client gives when it initializes."""

from __future__ import annotations

from typing import Final

_SHOW_BOTH: Final = ("github-copilot", "copilot")  # beginnings of names


def takes_structured(client: str | None) -> bool:
    """Return whether answers to a client should have a structured form besides the text.

    Copilot shows its model both, one after the other, so it gets the text alone, which is the shorter one. A host that
    prefers the structured form shows that alone, and a program may need it.
    """
    return client is None or not client.lower().startswith(_SHOW_BOTH)
