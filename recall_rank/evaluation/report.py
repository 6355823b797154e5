"""The figures of an evaluation: aggregates over queries, without the text or id of any query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Self

from recall_rank.evaluation.metrics import CUTOFF, Rank, bootstrap, mean, quantile, reciprocal, share

LEVELS: Final = ("high", "medium", "low", "none")  # confidence of the first result; "none" where there is no result
LEAST_DIFFERENT: Final = 6  # 2 * .5 ** 6 = .03 is the two-sided chance of equal signs; of five it is .06


@dataclass(frozen=True, slots=True)
class Outcome:
    """The measurements of one query: the ranks of its first answering part and session, nDCG, recall, confidence of the
    first result, CPU time, degradation.

    `part`, `ndcg_10` and `recall_10` apply only when `exact` is true, that is, when an answer is a message or a part.
    """

    kind: str
    exact: bool  # an answer names a message or a part
    part: Rank  # of the first part of the best grade
    session: Rank
    ndcg_10: float
    recall_10: float  # of messages of the best grade
    confidence: str  # one of LEVELS
    empty: bool
    degraded: Sequence[str]
    cpu_ms: float


@dataclass(frozen=True, slots=True)
class Ranks:
    """Measures of a list of ranks: the share of rank 1, the share of ranks 1 to 10, and the mean reciprocal rank.

    A query without a rank, or with one beyond 10, counts as 0 in each.
    """

    queries: int
    hit_1: float
    hit_10: float
    mrr_10: float

    @classmethod
    def of(cls, ranks: Sequence[Rank]) -> Self | None:
        """Return the measures of a list of ranks, one for each query; None for an empty list."""
        if not ranks:
            return None
        found = [0 if rank is None else rank for rank in ranks]
        return cls(
            len(ranks),
            share([rank == 1 for rank in found]),
            share([0 < rank <= CUTOFF for rank in found]),
            mean([reciprocal(rank) for rank in ranks]),
        )


@dataclass(frozen=True, slots=True)
class Figures:
    """The measures of one configuration over a set of queries. A measure is None when no query of the set has it."""

    queries: int
    parts: Ranks | None  # ranks of the answering part; queries answered by a session are left out
    sessions: Ranks | None  # ranks of the session among sessions
    ndcg_10: float | None  # over messages, each once, by their grades; the queries of `parts`
    recall_10: float | None  # share of the messages of the best grade that are among the first ten
    empty: float  # share of answers without any result
    degraded: float  # share of answers that a limit or a lack of time made worse
    degrade_kinds: Mapping[str, int]  # how many for which reason: time, budget, fallback
    cpu_ms_p50: float | None  # CPU of an ordinary search for ten results
    cpu_ms_p95: float | None

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Self:
        exact = [one for one in outcomes if one.exact]
        spent = [one.cpu_ms for one in outcomes]
        return cls(
            queries=len(outcomes),
            parts=Ranks.of([one.part for one in exact]),
            sessions=Ranks.of([one.session for one in outcomes]),
            ndcg_10=mean([one.ndcg_10 for one in exact]) if exact else None,
            recall_10=mean([one.recall_10 for one in exact]) if exact else None,
            empty=share([one.empty for one in outcomes]),
            degraded=share([bool(one.degraded) for one in outcomes]),
            degrade_kinds=dict(sorted(Counter(kind for one in outcomes for kind in one.degraded).items())),
            cpu_ms_p50=quantile(spent, 0.5) if spent else None,
            cpu_ms_p95=quantile(spent, 0.95) if spent else None,
        )


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of one measure between two configurations, compared query by query.

    `wins` counts the queries for which the first configuration has the higher value. `mean` is the mean of the values
    of the first configuration minus those of the second; [low, high] is its 95 % confidence interval
    (metrics.bootstrap).
    """

    queries: int
    wins: int
    losses: int
    ties: int
    mean: float
    low: float
    high: float

    @property
    def significant(self) -> bool:
        """Whether the difference is more than luck: 0 is outside of the interval, and at least LEAST_DIFFERENT queries
        differ.

        When fewer queries differ and all favour one configuration, tosses of a coin would agree so in more than one
        case of 20, however narrow the interval is.
        """
        return self.wins + self.losses >= LEAST_DIFFERENT and (self.low > 0 or self.high < 0)

    @classmethod
    def of(cls, gaps: Sequence[float]) -> Self | None:
        """Return the difference of a measure, from `gaps`, its difference for each query; None when `gaps` is empty."""
        if not gaps:
            return None
        wins, losses = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
        return cls(len(gaps), wins, losses, len(gaps) - wins - losses, mean(gaps), *bootstrap(gaps))


@dataclass(frozen=True, slots=True)
class Compared:
    """The figures of the second configuration, and the differences of the first configuration minus the second."""

    figures: Figures
    part_mrr_10: Difference | None
    session_mrr_10: Difference | None
    ndcg_10: Difference | None
    recall_10: Difference | None

    @classmethod
    def of(cls, ours: Sequence[Outcome], theirs: Sequence[Outcome]) -> Self:
        """Compare two configurations. `ours` and `theirs` are the outcomes of the first and the second configuration.

        Both have the same queries in equal order.
        """
        pairs = list(zip(ours, theirs, strict=True))
        exact = [(our, their) for our, their in pairs if our.exact]
        return cls(
            Figures.of(theirs),
            Difference.of([reciprocal(our.part) - reciprocal(their.part) for our, their in exact]),
            Difference.of([reciprocal(our.session) - reciprocal(their.session) for our, their in pairs]),
            Difference.of([our.ndcg_10 - their.ndcg_10 for our, their in exact]),
            Difference.of([our.recall_10 - their.recall_10 for our, their in exact]),
        )


@dataclass(frozen=True, slots=True)
class Certainty:
    """The queries whose first result has one confidence.

    Of `queries`, which have an answer, the share `right` has it in the first session; None when there is no such query.
    `unanswerable` counts queries that the history cannot answer.
    """

    queries: int
    right: float | None
    unanswerable: int


def certainty(first: Iterable[tuple[str, bool]], unanswerable: Sequence[str]) -> dict[str, Certainty]:
    """Return a mapping from each of LEVELS to the queries whose first result has that confidence.

    `first` has (confidence, whether the first session is right) for each query with an answer, `unanswerable` the
    confidence for each one without.
    """
    right: dict[str, list[bool]] = {level: [] for level in LEVELS}
    for level, claim in first:
        right[level].append(claim)
    return {
        level: Certainty(len(claims), share(claims) if claims else None, unanswerable.count(level))
        for level, claims in right.items()
    }


@dataclass(frozen=True, slots=True)
class UnknownPlaces:
    """The answers of one query that are not in the index: its position among the queries, from 0, and their number.

    A query without any other answer is not `measured`.
    """

    query: int
    places: int
    measured: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of two configurations over all queries, and by kind of query; the second one's confidence."""

    overall: Compared
    kinds: Mapping[str, Compared]
    certainty: Mapping[str, Certainty]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The result of an evaluation: aggregates over labelled queries, with the names of the kinds of queries as its only
    texts.

    queries = measured + unanswerable + missing + refused.
    """

    queries: int
    measured: int
    missing: int  # none of what answers them is in the index
    refused: int  # queries that the search refused, such as an invalid pattern
    missing_places: int  # of measured queries: answers that are not in the index, and so are left out of the figures
    overall: Figures
    kinds: Mapping[str, Figures] = field(default_factory=dict)
    unanswerable: int = 0  # queries that the history cannot answer: only their confidence is measured
    certainty: Mapping[str, Certainty] = field(default_factory=dict)  # confidence of the first result -> the queries
    unknown: Sequence[UnknownPlaces] = ()  # the queries of `missing` and `missing_places`
    against: Comparison | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the evaluation as plain JSON values; keys are the field names."""
        return asdict(self)


def by_kind(outcomes: Iterable[tuple[Outcome, ...]]) -> dict[str, list[tuple[Outcome, ...]]]:
    """Return a mapping from kind of query to the outcomes of the queries of that kind, sorted by kind.

    An entry is the tuple of the outcomes of one query, one for each configuration.
    """
    kinds: dict[str, list[tuple[Outcome, ...]]] = {}
    for one in outcomes:
        kinds.setdefault(one[0].kind, []).append(one)
    return dict(sorted(kinds.items()))
