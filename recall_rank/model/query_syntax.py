"""The record QuerySyntax: how a query with operators, such as `lantern tool:bash -"dry run"`, was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recall_rank.model.record_classes import field, frozen


@frozen
class Alternatives:
    """Words of a query with OR between them: characters [start, end) of its text. A document needs one of `words`."""

    start: int
    end: int
    words: tuple[str, ...]


@frozen
class QuerySyntax:
    """A query with operators, taken apart: the text that is looked for, and what the operators ask for."""

    text: str
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    filters: Mapping[str, Sequence[str]] = field(
        default_factory=dict
    )  # name, such as "tool" -> values, all of which hold
    any_of: tuple[Alternatives, ...] = ()
    warnings: tuple[str, ...] = ()  # on what looks like an operator and was taken for text

    @property
    def plain(self) -> bool:
        """Whether the query has no operator."""
        return not (self.must or self.must_not or self.filters or self.any_of)

    def given(self, name: str) -> tuple[str, ...]:
        """Return the values of the filter `name`; empty when the query does not have it."""
        return tuple(self.filters.get(name, ()))

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON values; what is empty is left out, except the text."""
        entry: dict[str, Any] = {"text": self.text}
        lists: dict[str, Any] = {
            "any_of": [list(each.words) for each in self.any_of],
            "must": list(self.must),
            "must_not": list(self.must_not),
            "filters": {name: list(values) for name, values in self.filters.items()},
        }
        entry.update((name, value) for name, value in lists.items() if value)
        return entry
