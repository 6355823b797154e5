"""The state of a search in the picker: the query line, the filters that keys set, and the options that follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from recall_rank.model.response import Group, Match, Order
    from recall_rank.search.options import SearchOptions

Filter = Literal["agent", "project", "role", "kind", "last"]

PAGE: Final = 50  # hits of a first page; scrolling to the end doubles it
MOST: Final = 800
WIDTH: Final = 240  # characters of a snippet: about one line of a wide terminal
KEY_BUDGET_MS: Final = 20.0
WHOLE_BUDGET_MS: Final = 2000.0  # of the search that follows when the keys rest, if the budget cut the one before
ANY: Final = ""  # the choice that takes a filter away

ROLES: Final = ("user", "assistant")
KINDS: Final = ("text", "tool", "reasoning")
TIMES: Final[Mapping[str, str]] = {"1d": "last day", "1w": "last week", "1mo": "last month", "1y": "last year"}
_SWITCHES: Final[Mapping[str, tuple[str, ...]]] = {
    "group": ("part", "session"),
    "order": ("relevance", "time"),
    "match": ("smart", "fuzzy", "literal", "regex"),
}


@dataclass(frozen=True, slots=True)
class SearchState:
    """The wishes of a person: query, filters and switches. `limit` is the number of hits that are fetched; it grows as
    the list is scrolled. With `redact` keys and passwords are replaced in what is shown, copied and exported.
    """

    query: str = ""
    agent: str = ANY
    project: str = ANY
    role: str = ANY
    kind: str = ANY
    last: str = ANY
    group: Group = "part"
    order: Order = "relevance"
    match: Match = "smart"
    redact: bool = False
    limit: int = PAGE

    def asking(self, query: str) -> SearchState:
        """Return the state with another query, and the first page of it."""
        return replace(self, query=query, limit=PAGE)

    def filtered(self, name: Filter, value: str) -> SearchState:
        """Return the state with the filter `name` set to `value`, or taken away by ANY."""
        changes: dict[str, Any] = {name: value}
        return replace(self, limit=PAGE, **changes)

    def switched(self, name: Literal["group", "order", "match"]) -> SearchState:
        """Return the state with the next value of a switch; after the last one comes the first."""
        values = _SWITCHES[name]
        at = values.index(getattr(self, name)) if getattr(self, name) in values else -1
        changes: dict[str, Any] = {name: values[(at + 1) % len(values)]}
        return replace(self, limit=PAGE, **changes)

    def cleared(self) -> SearchState:
        """Return the state without filters; query and switches stay."""
        return replace(self, agent=ANY, project=ANY, role=ANY, kind=ANY, last=ANY, limit=PAGE)

    def longer(self) -> SearchState:
        """Return the state with twice as many hits, at most MOST."""
        return replace(self, limit=min(self.limit * 2, MOST))

    @property
    def filters(self) -> tuple[str, ...]:
        """The filters and switches that differ from what a new picker has, as words for the status line."""
        named = [(name, getattr(self, name)) for name in ("agent", "project", "role", "kind")]
        said = [f"{name} {value}" for name, value in named if value]
        if self.last:
            said.append(TIMES.get(self.last, self.last))
        if self.group == "session":
            said.append("by session")
        if self.order == "time":
            said.append("newest first")
        if self.match != "smart":
            said.append(self.match)
        if self.redact:
            said.append("redacted")
        return tuple(said)

    def options(self, budget_ms: float) -> SearchOptions:
        """Return the options of Recall.search. Operators in the query are read where words are matched."""
        options: SearchOptions = {
            "match": self.match,
            "group": self.group,
            "order": self.order,
            "results": self.limit,
            "width": WIDTH,
            "budget_ms": budget_ms,
            "syntax": self.match in ("smart", "fuzzy"),
        }
        if self.agent:
            options["agent"] = self.agent
        if self.project:
            options["project"] = self.project
        if self.role:
            options["role"] = self.role
        if self.kind:
            options["type"] = self.kind
        if self.last:
            options["last"] = self.last
        if self.redact:
            from recall_rank.frontends.redaction.redacted_answers import hidden

            options["redact"] = hidden
        return options
