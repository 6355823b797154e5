"""The families of tools: a host offers one or several of them, and each tool belongs to one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {
    "recall": ("recall", "recall_get", "recall_context", "recall_messages", "recall_sessions"),
    "session_search": ("session_search",),
    "session_recall": ("session_recall",),
}
"""The name of each family -> the names of its tools."""

DEFAULT_FAMILIES: Final = ("recall",)
CURATED_TOOLS: Final = FAMILIES["session_recall"]
"""The tools that may ask a model, such as that of an MCP client."""


def tools_of(families: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the tools of `families`. Raises ValueError for an unknown family, and when there is none."""
    chosen = tuple(dict.fromkeys(families))
    unknown = [name for name in chosen if name not in FAMILIES]
    if unknown or not chosen:
        raise ValueError(f"tools are one or more of {', '.join(FAMILIES)}, not {', '.join(unknown) or 'none'}")
    return tuple(name for family in chosen for name in FAMILIES[family])
