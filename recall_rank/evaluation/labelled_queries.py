"""Labelled queries: a query text with the places (sessions, messages or parts) that answer it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from recall_rank.evaluation.metrics import ndcg, recall
from recall_rank.evaluation.report import UnknownPlaces
from recall_rank.index.reader.places import Place

KIND = "query"  # of a query that names none
BEST_GRADE = 100.0  # the gain of a higher one would soon be no number


class Holds(Protocol):
    """The signature of Index.holds: a function that returns those of the given places that are in the index."""

    def __call__(self, places: Iterable[Place], *, project: str | None = None) -> set[Place]: ...


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    """A query with the places that answer it. A place is a session, a message or a part, by ids.

    `relevant` are the answers; any part of a relevant message answers. If it is empty, `relevant_sessions` must name a
    session, or `answerable` must be false: the history cannot answer the query. `grades` say how good an answer each
    place is; one of grade 0 is none. `also` are other places that count as found. `exclude` are messages that are left
    out of a ranking, such as the message that the query was made from. `project` limits the search, and `before` does:
    to messages earlier than this time, in the forms of the option `before` of a search. A query that points back is
    asked as of its own moment.

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
    grades: Mapping[Place, float] = field(default_factory=dict)  # of `relevant` and `also`, 0 or more
    answerable: bool = True

    def grade(self, place: Place) -> float:
        """Return the grade of a place of `relevant` or `also`.

        One that has none in `grades` has grade 1 in `relevant`, and in `also` the best grade of `relevant`.
        """
        if place in self.grades:
            return self.grades[place]
        return 1.0 if place in self.relevant else max(map(self.grade, self.relevant), default=1.0)

    def answers(self, places: Iterable[Place]) -> list[Place]:
        """Return those of `places`, of `relevant` or `also`, whose grade is above 0."""
        return [place for place in places if self.grade(place) > 0]

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
        self._check_grades()
        if not isinstance(self.answerable, bool):
            raise TypeError(f"answerable must be true or false, not {type(self.answerable).__name__}")
        if not self.answerable and (self.relevant or self.also or self.relevant_sessions):
            raise ValueError("a query that is not answerable must name no answer")
        if self.answerable and not self.relevant_sessions:
            if not self.relevant:
                raise ValueError("relevant must name at least one place")
            if not self.answers(self.relevant):
                raise ValueError("relevant must name a place of a grade above 0")
        if any(place.message is None for place in self.exclude):
            raise ValueError("each of exclude must name a message")

    def _check_grades(self) -> None:
        if not isinstance(self.grades, Mapping):
            raise TypeError(f"grades must be a mapping of places, not {type(self.grades).__name__}")
        for place, grade in self.grades.items():
            if place not in self.relevant and place not in self.also:
                raise ValueError("each of grades must be that of a place of relevant or also")
            _check_grade(grade)


def message_of(place: Place) -> Hashable:
    """Return (session id, message id) of a place."""
    return place.session, place.message


class Graded:
    """The answers of a query that are messages or parts, by grade, and measures of a ranking of messages over them.

    A message has the best grade of its places. The best answers are those of the highest grade in `relevant`. Messages
    of `also` gain as those of `relevant` do, but no more gain than `relevant` names. `key` names a message in the
    ranking; messages of one key, such as copies, are one.
    """

    def __init__(self, query: LabelledQuery, key: Callable[[Place], Hashable] = message_of) -> None:
        exact = [place for place in query.relevant if place.message is not None]
        also = [place for place in query.also if place.message is not None]
        top = max(map(query.grade, exact), default=0.0)
        self.best_places = {place for place in (*exact, *also) if query.grade(place) >= top}
        self.best = set(map(key, self.best_places))
        self._wanted = len({key(place) for place in exact if query.grade(place) >= top})
        self.grades = _by_key(query, exact, key)
        self._stand_ins = _by_key(query, also, key)

    def ndcg(self, ranking: Sequence[Hashable]) -> float:
        """Return nDCG@10 of a ranking of messages without repeats; 0 when no answer is a message."""
        return ndcg(ranking, self.grades, self._stand_ins) if self.grades else 0.0

    def recall(self, ranking: Sequence[Hashable]) -> float:
        """Return recall@10 of the best answers; 0 when no answer is a message."""
        return recall(ranking, self.best, self._wanted) if self._wanted else 0.0


def _by_key(query: LabelledQuery, places: Iterable[Place], key: Callable[[Place], Hashable]) -> dict[Hashable, float]:
    grades: dict[Hashable, float] = {}
    for place in places:
        grades[key(place)] = max(grades.get(key(place), 0.0), query.grade(place))
    return grades


def labelled(value: LabelledQuery | Mapping[str, Any]) -> LabelledQuery:
    """Return the LabelledQuery `value` itself, or one made from a mapping with the field names of LabelledQuery.

    In a mapping, a place is {"session", "message"?, "part"?, "grade"?}; of a place that is named twice the higher grade
    counts. Null means an absent field; unknown keys are ignored. Raises the errors of LabelledQuery.
    """
    if isinstance(value, LabelledQuery):
        return value
    if not isinstance(value, Mapping):
        raise TypeError(f"a query must be a LabelledQuery or a mapping, not {type(value).__name__}")
    if value.get("query") is None:
        raise ValueError("query is missing")
    fields = {name: value[name] for name in LabelledQuery.__slots__ if value.get(name) is not None}
    grades: dict[Place, float] = {}
    for name in ("relevant", "also", "exclude"):
        if name in fields:
            listed = _listed(name, fields[name])
            fields[name] = tuple(map(_place, listed))
            if name != "exclude":
                for place, given in zip(fields[name], listed, strict=True):
                    _read_grade(place, given, grades)
    return LabelledQuery(**{"grades": grades, **fields})


def answerable(
    queries: Iterable[LabelledQuery], holds: Holds, project: str | None = None
) -> tuple[list[LabelledQuery], list[UnknownPlaces]]:
    """Return the queries with an answer in the index, and for each query that has others how many are not in it.

    Answers that are not in the index, and places of grade 0, are removed from the returned queries, and
    `relevant_sessions` is set to the sessions that answer and are in the index. Queries that are not answerable are
    left out. `project` applies to queries that name no project.
    """
    asked = [replace(query, project=project) if query.project is None else query for query in queries]
    wanted: dict[str | None, set[Place]] = defaultdict(set)
    for query in asked:
        wanted[query.project] |= _answers(query)
    there = {name: holds(places, project=name) for name, places in wanted.items()}
    kept, unknown = [], []
    for number, query in enumerate(asked):
        held = there[query.project]
        relevant, also = (
            tuple(place for place in query.answers(places) if place in held) for places in (query.relevant, query.also)
        )
        named = [session for session in query.relevant_sessions if Place(session) in held]
        sessions = tuple(dict.fromkeys(named or (place.session for place in relevant)))
        measured = bool(sessions) and bool(relevant or not query.answers(query.relevant))
        if measured:
            grades = {place: query.grade(place) for place in (*also, *relevant)}
            kept.append(replace(query, relevant=relevant, also=also, relevant_sessions=sessions, grades=grades))
        if absent := len(_answers(query) - held):
            unknown.append(UnknownPlaces(number, absent, measured))
    return kept, unknown


def _answers(query: LabelledQuery) -> set[Place]:
    return {*query.answers(query.relevant), *query.answers(query.also), *map(Place, query.relevant_sessions)}


def _place(value: object) -> object:
    """Return the Place that a mapping describes; any other value unchanged, so that LabelledQuery refuses it."""
    if not isinstance(value, Mapping):
        return value
    if value.get("session") is None:
        raise ValueError("a place must name its session")
    return Place(value["session"], value.get("message"), value.get("part"))


def _read_grade(place: object, value: object, grades: dict[Place, float]) -> None:
    """Enter the grade of a place that was made from `value`, if that has one; of a place that was there, the higher."""
    grade = value.get("grade") if isinstance(value, Mapping) else None
    if grade is None or not isinstance(place, Place):
        return
    _check_grade(grade)
    if all(isinstance(name, str | None) for name in place):  # others, which LabelledQuery refuses, may have no hash
        grades[place] = max(grades.get(place, 0.0), grade)


def _check_grade(grade: object) -> None:
    if isinstance(grade, bool) or not isinstance(grade, int | float):
        raise TypeError(f"grade must be a number, not {type(grade).__name__}")
    if not 0 <= grade <= BEST_GRADE:  # false for NaN
        raise ValueError(f"grade must be from 0 to {BEST_GRADE:g}")


def _places(name: str, places: object) -> None:
    for place in _listed(name, places):
        if not isinstance(place, Place):
            raise TypeError(f"each of {name} must be a recall_rank.Place, not {type(place).__name__}")
        _text("session of a place", place.session)
        for level in ("message", "part"):
            if getattr(place, level) is not None:
                _text(f"{level} of a place", getattr(place, level))
        if place.part is not None and place.message is None:
            raise ValueError("a place with a part must name its message")


def _listed(name: str, value: object) -> Iterable[object]:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise TypeError(f"{name} must be a list, not {type(value).__name__}")
    return value


def _text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, not {type(value).__name__}")
