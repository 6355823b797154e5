"""Records made by their own constructor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Maker:
    """The record's own constructor."""

    def __init__(self, cls: type) -> None:
        self.cls = cls

    def make(self, *values: Any) -> Any:
        return self.cls(*values)

    def each(self, rows: Sequence[tuple[Any, ...]]) -> list[Any]:
        return [self.cls(*row) for row in rows]
