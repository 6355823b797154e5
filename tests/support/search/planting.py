"""Replaces a function in every module that has imported it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest


def replace_everywhere(patch: pytest.MonkeyPatch, real: Callable[..., Any], fake: Callable[..., Any]) -> None:
    """Replace `real` by `fake` in every module of the package; at least one module must use it."""
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
