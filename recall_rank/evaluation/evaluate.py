"""Ask labelled queries and measure the answers, for one configuration, or for two that are compared."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Unpack

from recall_rank.evaluation.labelled_queries import Graded, LabelledQuery, answerable, labelled, message_of
from recall_rank.evaluation.metrics import first_rank
from recall_rank.evaluation.report import (
    Certainty,
    Compared,
    Comparison,
    Evaluation,
    Figures,
    Outcome,
    by_kind,
    certainty,
)
from recall_rank.index.reader.places import Place
from recall_rank.model import Match, SearchResponse
from recall_rank.search.options import OPTION_NAMES, SearchOptions

PAGE = 10  # results of an ordinary search, whose CPU is measured
DEPTH = 50  # results a ranking is read from: messages may have to be left out of it, and stand in it with many parts
PROBE = "probe"  # asked first, so that a wrong option is an error at once and first use is not measured

# Told by the evaluation itself; a page that is another one has no rank.
_OURS = ("results", "offset", "group", "cancel")

Search = Callable[..., SearchResponse]
"""search(query, **options) -> SearchResponse, as Index.search is."""


class Searcher(Protocol):
    """The methods that an evaluation calls; an Index and a Recall have them."""

    def search(self, query: str, **options: Unpack[SearchOptions]) -> SearchResponse: ...

    def holds(self, places: Iterable[Place], *, project: str | None = None) -> set[Place]: ...


@dataclass(frozen=True, slots=True)
class _Configuration:
    """One configuration that is measured: a search function, and the options that are passed to it.

    With two configurations, both answer the same queries and are compared.
    """

    search: Search
    options: Mapping[str, Any]

    def page(self, query: LabelledQuery, results: int, group: str = "part") -> SearchResponse:
        options = dict(self.options)
        options.setdefault("match", match_of(query.kind))
        if query.project is not None:
            options["project"] = query.project
        if query.before is not None:
            options["before"] = query.before
        return self.search(query.query, results=results, group=group, **options)

    def probe(self) -> None:
        answer: object = self.search(PROBE, results=1, group="part", **self.options)
        if not isinstance(answer, SearchResponse):
            raise TypeError(f"a search must return a recall_rank.SearchResponse, not {type(answer).__name__}")

    def outcome(self, query: LabelledQuery) -> Outcome:
        before = time.thread_time()
        first = self.page(query, PAGE)
        spent = (time.thread_time() - before) * 1e3
        left_out = {(place.session, place.message) for place in query.exclude}
        hits = [
            Place(hit.session_id, hit.message_id, hit.part_id)
            for hit in self.page(query, DEPTH).results
            if (hit.session_id, hit.message_id) not in left_out
        ]
        # The engine's own order of sessions counts, except where a message must be left out of it.
        found = hits if left_out else [Place(hit.session_id) for hit in self.page(query, DEPTH, "session").results]
        graded = Graded(query)
        messages = list(dict.fromkeys(map(message_of, hits)))
        return Outcome(
            kind=query.kind,
            exact=is_exact(query),
            part=first_rank((_named(hit, graded.best_places) for hit in hits), (True,)),
            session=first_rank(dict.fromkeys(place.session for place in found), set(query.relevant_sessions)),
            ndcg_10=graded.ndcg(messages),
            recall_10=graded.recall(messages),
            confidence=_confidence(first, left_out),
            empty=not first.results,
            degraded=tuple(map(str, first.degrade_kinds)),
            cpu_ms=spent,
        )

    def confidence(self, query: LabelledQuery) -> str:
        left_out = {(place.session, place.message) for place in query.exclude}
        return _confidence(self.page(query, PAGE), left_out)


def _confidence(response: SearchResponse, left_out: Container[tuple[str, str | None]]) -> str:
    """Return the confidence of the first result of a message that is not left out; "none" when there is none."""
    first = (hit for hit in response.results if (hit.session_id, hit.message_id) not in left_out)
    return next((hit.why.confidence for hit in first), "none")


def evaluate(
    index: Searcher,
    queries: Iterable[LabelledQuery | Mapping[str, Any]],
    *,
    using: Mapping[str, Any] | Search | None = None,
    against: Mapping[str, Any] | Search | None = None,
    progress: Callable[[str, int, int | None], None] | None = None,
    **options: Any,
) -> Evaluation:
    """Measure how well `index`, an Index or a Recall, answers `queries`, overall and for each kind of query.

    `options` are search options for every search. `using` is either a mapping of further options, or a function
    search(query, **options) that is called instead of the index. `against` is a second configuration, a mapping or a
    function like `using`: it answers the same queries, and the two are compared query by query. `progress` is called
    with ("evaluating", queries done, number of queries). Options that the evaluation sets itself (results, offset,
    group, cancel) are refused. Unless `match` is given, queries of a kind with "typo" in its name are searched in fuzzy
    mode and all others in smart mode. All searches have one `now`.

    MRR of parts and recall look for the places of the best grade that the query has in the index, nDCG for all of them
    by grade. A query without any answer in the index (in its project, if it names one) is counted as missing and not
    searched. A query that a search refuses is counted as refused. Of one that is not answerable only the confidence of
    the first result is counted. None of these enters the figures. All figures except CPU times are
    equal in every run, unless the time budget cuts a search short.

    Raises ValueError or TypeError for an empty list of queries, for an invalid query, and for unknown options.
    """
    configurations = _configurations(index, using, against, options)
    asked = _read(queries)
    kept, unknown = answerable(asked, index.holds, options.get("project"))
    hopeless = [query for query in asked if not query.answerable]
    for configuration in configurations:
        configuration.probe()
    outcomes: list[tuple[Outcome, ...]] = []
    unanswered: list[tuple[str, ...]] = []
    count = len(kept) + len(hopeless)
    for number, query in enumerate([*kept, *hopeless]):
        if progress is not None:
            progress("evaluating", number, count)
        # Who goes first finds colder caches: they take turns.
        order = configurations if number % 2 == 0 else configurations[::-1]
        try:
            if not query.answerable:
                unanswered.append(tuple(configuration.confidence(query) for configuration in configurations))
                continue
            answers = tuple(configuration.outcome(query) for configuration in order)
        except ValueError:  # the options were fine for the probe, so it is the query
            continue
        outcomes.append(answers if number % 2 == 0 else answers[::-1])
    if progress is not None:
        progress("evaluating", count, count)
    kinds = by_kind(outcomes)
    return Evaluation(
        queries=len(asked),
        measured=len(outcomes),
        missing=len(asked) - count,
        refused=count - len(outcomes) - len(unanswered),
        missing_places=sum(one.places for one in unknown if one.measured),
        overall=_figures(outcomes),
        kinds={kind: _figures(some) for kind, some in kinds.items()},
        unanswerable=len(unanswered),
        certainty=_certainty(outcomes, unanswered, 0),
        unknown=unknown,
        against=None
        if against is None
        else Comparison(
            _compared(outcomes),
            {kind: _compared(some) for kind, some in kinds.items()},
            _certainty(outcomes, unanswered, 1),
        ),
    )


def match_of(kind: str) -> Match:
    """Return the match mode for a kind of query: "fuzzy" when the name of the kind contains "typo", else "smart"."""
    return "fuzzy" if "typo" in kind else "smart"


def is_exact(query: LabelledQuery) -> bool:
    """Return whether at least one answer of a query is a message or a part, rather than a whole session."""
    return any(place.message is not None for place in query.relevant)


def _figures(outcomes: Iterable[tuple[Outcome, ...]]) -> Figures:
    return Figures.of([first for first, *_ in outcomes])


def _compared(outcomes: Sequence[tuple[Outcome, ...]]) -> Compared:
    return Compared.of([ours for ours, _ in outcomes], [theirs for _, theirs in outcomes])


def _certainty(
    outcomes: Iterable[tuple[Outcome, ...]], unanswered: Iterable[tuple[str, ...]], which: int
) -> Mapping[str, Certainty]:
    """Return the certainty of the first configuration (`which` 0) or the second (1)."""
    first = [(answers[which].confidence, answers[which].session == 1) for answers in outcomes]
    return certainty(first, [levels[which] for levels in unanswered])


def _named(hit: Place, good: set[Place]) -> bool:
    return hit in good or Place(hit.session, hit.message) in good


def _configurations(
    index: Searcher,
    using: Mapping[str, Any] | Search | None,
    against: Mapping[str, Any] | Search | None,
    options: Mapping[str, Any],
) -> list[_Configuration]:
    for name in ("search", "holds"):
        if not callable(getattr(index, name, None)):
            raise TypeError(f"index must be a recall_rank.Index or Recall, not {type(index).__name__}")
    common = {"now": int(time.time() * 1000), **options}
    made = []
    for name, given in (("using", using), ("against", against)):
        if given is not None and not isinstance(given, Mapping) and not callable(given):
            raise TypeError(f"{name} must be a mapping of options or a function, not {given!r}")
        if given is None and name == "against":
            continue
        chosen = {**common, **given} if isinstance(given, Mapping) else common
        _check_names(chosen)
        made.append(_Configuration(given if callable(given) else index.search, chosen))
    return made


def _check_names(options: Mapping[str, Any]) -> None:
    if unknown := sorted(set(options) - OPTION_NAMES):
        raise TypeError(f"unknown option {', '.join(unknown)}; accepted are {', '.join(sorted(OPTION_NAMES))}")
    if refused := [name for name in _OURS if name in options]:
        raise ValueError(f"{', '.join(refused)} cannot be chosen: the evaluation decides what is looked at")


def _read(queries: Iterable[LabelledQuery | Mapping[str, Any]]) -> list[LabelledQuery]:
    if isinstance(queries, str | bytes | Mapping) or not isinstance(queries, Iterable):
        raise TypeError(f"queries must be LabelledQuery records or mappings, not {type(queries).__name__}")
    if not (read := list(_each(queries))):
        raise ValueError("there are no queries to ask")
    return read


def _each(queries: Iterable[LabelledQuery | Mapping[str, Any]]) -> Iterator[LabelledQuery]:
    for number, query in enumerate(queries):
        try:
            yield labelled(query)
        except (ValueError, TypeError) as error:
            raise type(error)(f"queries[{number}]: {error}") from error
