"""A small invented history that ships with the package: nobody's projects, nobody's words."""

from __future__ import annotations

from typing import Final

NOW: Final = 1_795_197_600_000  # 2026-11-20 18:00 UTC, the day the history ends
