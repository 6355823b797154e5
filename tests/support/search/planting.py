"""Put a function in the place of another, whichever modules have imported it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest


def replace_everywhere(patch: pytest.MonkeyPatch, real: Callable[..., Any], fake: Callable[..., Any]) -> None:
    """`fake` for `real` in every module of the package; at least one must use it."""
    users = [
        (module, name)
        for key, module in list(sys.modules.items())
        if key.startswith("recall_rank.")
        for name, value in vars(module).items()
        if value is real
    ]
    assert users, f"nobody uses {real.__name__}"
    for module, name in users:
        patch.setattr(module, name, fake)
