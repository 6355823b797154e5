"""A small invented history that is part of the package, for the command `demo`, examples and tests."""

from __future__ import annotations

from typing import Final

NOW: Final = 1_795_197_600_000  # 2026-11-20 18:00 UTC, the day the history ends
