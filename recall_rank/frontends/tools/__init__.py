"""The recall tools that agents call: arguments in, answers as JSON values out."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recall_rank.frontends.host_options import HostOptions, host_options
    from recall_rank.frontends.tools.dispatch import RecallTools

_HOMES = {
    "HostOptions": "recall_rank.frontends.host_options",
    "RecallTools": "recall_rank.frontends.tools.dispatch",
    "host_options": "recall_rank.frontends.host_options",
}

__all__ = ["HostOptions", "RecallTools", "host_options"]


def __getattr__(name: str) -> Any:
    """Return a public name of the package, imported on first use (PEP 562), so that importing the package is fast."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value
