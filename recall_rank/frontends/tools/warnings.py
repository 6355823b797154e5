"""Warnings, suggestions and errors of an answer; each has a sentence and a category.

The sentence is for people and models; programs use the category.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final

from recall_rank.model.response import NOT_READ_YET, Unread
from recall_rank.model.serialize import repaired

MAX_WARNINGS: Final = 5
MAX_SUGGESTIONS: Final = 3
SOURCE_NOTES: Final = "source_notes"  # category of the warning that counts what `sources` says of the sources


class ToolError(Exception):
    """An error of a call: a sentence, a category, and `extra` fields. The answer to the call is made of them."""

    def __init__(self, category: str, text: str, **extra: Any) -> None:
        super().__init__(text)
        self.category = category
        self.extra = extra


class _CategorizedTexts:
    """Distinct sentences in the order in which they were added, each with its category, for one field of an answer."""

    __slots__ = ("_categories",)
    _name: ClassVar[str]
    _most: ClassVar[int]

    def __init__(self) -> None:
        self._categories: dict[str, str] = {}  # sentence -> category

    def add(self, category: str, text: str) -> None:
        """Add a sentence at the end, unless it was added before; then its position and category are unchanged."""
        self._categories.setdefault(text, category)

    def fields(self) -> dict[str, Any]:
        """Return the fields of an answer with the first sentences, up to the limit, and their categories, if any."""
        first = list(self._categories.items())[: self._most]
        if not first:
            return {}
        return {
            f"{self._name}s": [repaired(str(text)) for text, _ in first],
            f"{self._name}_categories": [category for _, category in first],
        }

    def put(self, answer: dict[str, Any]) -> None:
        """Write fields() into an answer."""
        answer.update(self.fields())

    def __bool__(self) -> bool:
        return bool(self._categories)


class Warnings(_CategorizedTexts):
    """Warnings of one call: arguments that were ignored or changed, results that were left out.

    An answer has at most MAX_WARNINGS of them. `written` returns the name of an argument as the caller writes it.
    """

    __slots__ = ("written",)
    _name = "warning"
    _most = MAX_WARNINGS

    def __init__(self, written: Callable[[str], str] = str) -> None:
        super().__init__()
        self.written = written

    def add_unread(self, unread: Unread | None) -> None:
        """Add the warning that not everything is read yet; nothing for None, which says that everything is."""
        if unread is not None:
            self.add(NOT_READ_YET, str(unread))

    @property
    def limited(self) -> bool:
        """Whether the answer is about a part of the histories, because the rest is not read yet."""
        return NOT_READ_YET in self._categories.values()

    def put(self, answer: dict[str, Any]) -> None:
        """Write fields() into an answer; one without a coverage says itself that not everything is read yet."""
        if self.limited and "coverage" not in answer:
            answer["limited_by"] = [NOT_READ_YET]
        super().put(answer)

    def extend(self, others: Warnings) -> None:
        """Add the warnings of another collection at the end."""
        for text, category in others._categories.items():
            self.add(category, text)

    def put_first(self, answer: dict[str, Any]) -> None:
        """Write the warnings into an answer before those that it has. Above the limit, the last are left out."""
        for name, values in self.fields().items():
            answer[name] = [*values, *answer.get(name, ())][: self._most]


class Suggestions(_CategorizedTexts):
    """Suggestions for the next call. An answer has at most MAX_SUGGESTIONS of them."""

    __slots__ = ()
    _name = "suggestion"
    _most = MAX_SUGGESTIONS
