"""Labelled queries: a query text with the places (sessions, messages or parts) that answer it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from recall_rank.index.reader.places import Place

KIND = "query"  # of a query that names none


class Holds(Protocol):
    """The signature of Index.holds: a function that returns those of the given places that are in the index."""

    def __call__(self, places: Iterable[Place], *, project: str | None = None) -> set[Place]: ...


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    """A query with the places that answer it. A place is a session, a message or a part, by ids.

    `relevant` are the answers; any part of a relevant message answers. If it is empty, `relevant_sessions` must name a
    session. `also` are other places that count as found. `exclude` are messages that are left out of a ranking, such as
    the message that the query was made from. `project` limits the search, and `before` does: to messages earlier than
    this time, in the forms of the option `before` of a search. A query that points back is asked as of its own moment.

    Raises ValueError or TypeError for an invalid field. The message names the field and never quotes what is in the
    query, since queries are as private as the history.
    """

    query: str
    relevant: Sequence[Place] = ()
    id: str = ""
    kind: str = KIND
    project: str | None = None
    also: Sequence[Place] = ()
    exclude: Sequence[Place] = ()
    relevant_sessions: Sequence[str] = ()  # sessions that count as answers; those of `relevant` when empty
    before: int | str | None = None  # milliseconds since 1970, or a date

    def __post_init__(self) -> None:
        for name in ("query", "id", "kind"):
            _text(name, getattr(self, name))
        if not self.query.strip():
            raise ValueError("query must not be empty")
        if self.project is not None:
            _text("project", self.project)
        if isinstance(self.before, bool) or not isinstance(self.before, int | str | None):
            raise TypeError(f"before must be milliseconds or a date, not {type(self.before).__name__}")
        for name in ("relevant", "also", "exclude"):
            _places(name, getattr(self, name))
        for session in _listed("relevant_sessions", self.relevant_sessions):
            _text("each of relevant_sessions", session)
        if not self.relevant and not self.relevant_sessions:
            raise ValueError("relevant must name at least one place")
        if any(place.message is None for place in self.exclude):
            raise ValueError("each of exclude must name a message")


def labelled(value: LabelledQuery | Mapping[str, Any]) -> LabelledQuery:
    """Return the LabelledQuery `value` itself, or one made from a mapping with the field names of LabelledQuery.

    In a mapping, a place is {"session", "message"?, "part"?}. Null means an absent field; unknown keys are ignored.
    Raises the errors of LabelledQuery.
    """
    if isinstance(value, LabelledQuery):
        return value
    if not isinstance(value, Mapping):
        raise TypeError(f"a query must be a LabelledQuery or a mapping, not {type(value).__name__}")
    if value.get("query") is None:
        raise ValueError("query is missing")
    fields = {name: value[name] for name in LabelledQuery.__slots__ if value.get(name) is not None}
    for name in ("relevant", "also", "exclude"):
        if name in fields:
            fields[name] = tuple(map(_place, _listed(name, fields[name])))
    return LabelledQuery(**fields)


def answerable(
    queries: Iterable[LabelledQuery], holds: Holds, project: str | None = None
) -> tuple[list[LabelledQuery], int]:
    """Return the queries with an answer in the index, and the number of answers of those queries that are not in it.

    Such answers are removed from the returned queries, and `relevant_sessions` is set to the sessions that answer and
    are in the index. `project` applies to queries that name no project.
    """
    asked = [replace(query, project=project) if query.project is None else query for query in queries]
    wanted: dict[str | None, set[Place]] = defaultdict(set)
    for query in asked:
        wanted[query.project] |= _answers(query)
    there = {name: holds(places, project=name) for name, places in wanted.items()}
    kept, absent = [], 0
    for query in asked:
        held = there[query.project]
        relevant = tuple(place for place in query.relevant if place in held)
        named = [session for session in query.relevant_sessions if Place(session) in held]
        if query.relevant and not relevant:
            continue
        if sessions := tuple(dict.fromkeys(named or (place.session for place in relevant))):
            also = tuple(place for place in query.also if place in held)
            kept.append(replace(query, relevant=relevant, also=also, relevant_sessions=sessions))
            absent += len(_answers(query) - held)
    return kept, absent


def _answers(query: LabelledQuery) -> set[Place]:
    return {*query.relevant, *query.also, *map(Place, query.relevant_sessions)}


def _place(value: object) -> object:
    """Return the Place that a mapping describes; any other value unchanged, so that LabelledQuery refuses it."""
    if not isinstance(value, Mapping):
        return value
    if value.get("session") is None:
        raise ValueError("a place must name its session")
    return Place(value["session"], value.get("message"), value.get("part"))


def _places(name: str, places: object) -> None:
    for place in _listed(name, places):
        if not isinstance(place, Place):
            raise TypeError(f"each of {name} must be a recall_rank.Place, not {type(place).__name__}")
        _text("session of a place", place.session)
        for field in ("message", "part"):
            if getattr(place, field) is not None:
                _text(f"{field} of a place", getattr(place, field))
        if place.part is not None and place.message is None:
            raise ValueError("a place with a part must name its message")


def _listed(name: str, value: object) -> Iterable[object]:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise TypeError(f"{name} must be a list, not {type(value).__name__}")
    return value


def _text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, not {type(value).__name__}")
