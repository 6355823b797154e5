"""Hooks: functions that a host program, such as a coding agent, calls to add recalled text to a conversation."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recall_rank.frontends.hooks.hook_calls import HOOKS
    from recall_rank.frontends.hooks.prompt_blocks import auto_recall, compaction_recall, nudge

_HOMES = {
    "HOOKS": "recall_rank.frontends.hooks.hook_calls",
    **dict.fromkeys(("auto_recall", "compaction_recall", "nudge"), "recall_rank.frontends.hooks.prompt_blocks"),
}

__all__ = ["HOOKS", "auto_recall", "compaction_recall", "nudge"]


def __getattr__(name: str) -> Any:
    """Return a public name of the package, imported on first use (PEP 562), so that importing the package is fast."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value
