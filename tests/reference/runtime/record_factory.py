"""Records made by the constructor of their dataclass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class RecordFactory:
    """Makes records by calling the dataclass."""

    def __init__(self, cls: type) -> None:
        self.cls = cls

    def make(self, *values: Any) -> Any:
        return self.cls(*values)

    def make_all(self, rows: Sequence[tuple[Any, ...]]) -> list[Any]:
        return [self.cls(*row) for row in rows]
