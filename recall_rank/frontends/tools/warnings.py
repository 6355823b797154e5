"""Remarks an answer carries: a sentence for people, a category for programs."""

from __future__ import annotations

from typing import Any, Final

from recall_rank.model.serialize import repaired

MOST_WARNINGS: Final = 5
MOST_SUGGESTIONS: Final = 3


class ToolError(Exception):
    """A call that cannot be served: answered with its category and its sentence."""

    def __init__(self, category: str, text: str, **more: Any) -> None:
        super().__init__(text)
        self.category = category
        self.more = more


class Remarks:
    """Sentences in the order they came, each once."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[str, str] = {}  # sentence -> category

    def add(self, category: str, text: str) -> None:
        self._found.setdefault(text, category)

    def extend(self, others: Remarks) -> None:
        for text, category in others._found.items():
            self.add(category, text)

    def put(self, answer: dict[str, Any], name: str, most: int) -> None:
        """Write the first `most` of them as `<name>s` and `<name>_categories`; nothing when there are none."""
        if self._found:
            kept = list(self._found.items())[:most]
            answer[f"{name}s"] = [repaired(text) for text, _ in kept]
            answer[f"{name}_categories"] = [category for _, category in kept]

    def __bool__(self) -> bool:
        return bool(self._found)
