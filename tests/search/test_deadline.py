"""Every search ends by its deadline, reports that it did, and still answers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic_ns
from typing import Any

import pytest

from recall_rank.index.reader import literal_scan
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.reader.literal_scan import HIT_NS
from recall_rank.index.segment.build import build
from recall_rank.model import SearchResponse
from recall_rank.search.context import SearchContext
from recall_rank.search.deadline import SCORE_BY, Deadline, DegradeKind
from recall_rank.search.engine import search
from recall_rank.search.expansion.expand import expand
from recall_rank.search.expansion.lexicon import Lexicon
from recall_rank.search.filters.eligible import eligible_set
from recall_rank.search.options import Options
from recall_rank.search.query import Query
from recall_rank.search.ranking import best_hits
from recall_rank.search.results import page
from recall_rank.search.retrieval.literal import mark_pattern, text_hits
from recall_rank.weights import DEFAULT
from tests.support.index.cutting import Cut, joined
from tests.support.search.samples import NOW, session

WORDS = "lantern wick oil glass shutter harbor keeper rope storm tide".split()


SEVERAL = Cut(3, tuple(n % 3 for n in range(30)), ((0, 3, True), (1, 4, True), (1, 5, False)))


@pytest.fixture(scope="module", params=[None, SEVERAL], ids=["one segment", "three segments"])
def segment(request: pytest.FixtureRequest) -> IndexReader:
    said = [" ".join(WORDS[(n * k) % 10] for k in range(1, 12)) for n in range(300)]
    history = [session(f"s{n}", *said[n * 10 : n * 10 + 10], title="Lantern", updated=NOW - n) for n in range(30)]
    return joined(history, request.param)


def run(segment: IndexReader, text: str, clock: Callable[[], int] = monotonic_ns, **options: Any) -> SearchResponse:
    return search(segment, Query.parse(text, NOW, Options(**options)), clock=clock)


class Clock:
    """The real time, as native loops see it, that jumps by `jump_ms` at its `at`-th reading."""

    def __init__(self, jump_ms: float, at: int) -> None:
        self.jump = int(jump_ms * 1e6)
        self.at = at
        self.readings = 0

    def __call__(self) -> int:
        self.readings += 1
        return monotonic_ns() + (self.jump if self.readings >= self.at else 0)


def check(response: SearchResponse) -> None:
    """Well-formed, whatever was left out."""
    for count in (response.coverage.sessions, response.coverage.messages, response.coverage.parts):
        assert count.known == count.eligible + sum(count.skipped.values())
        assert 0 <= count.searched <= count.eligible
        assert count.not_reached == count.eligible - count.searched
    assert response.total >= len(response.results)
    assert response.degrade_kind in ("none", "time", "budget", "fallback")
    assert all(0 <= hit.score <= 1 for hit in response.results)
    assert response.to_json()


@pytest.mark.parametrize("match", ["literal", "smart", "fuzzy", "regex"])
@pytest.mark.parametrize("group", ["part", "session"])
@pytest.mark.parametrize("order", ["relevance", "time"])
def test_a_budget_that_is_spent_at_once_still_gives_an_answer(
    segment: IndexReader, match: str, group: str, order: str
) -> None:
    response = run(segment, "lantern wick", budget_ms=0.001, match=match, group=group, order=order)
    check(response)
    assert response.degrade_kind == "time"
    assert "time_budget" in response.coverage.limited_by
    assert not response.total_exact


@pytest.mark.parametrize("at", [2, 3, 4, 6, 10, 20, 30])
@pytest.mark.parametrize("share", [0.5, SCORE_BY, 2.0])
def test_a_jump_of_the_clock_at_any_stage(segment: IndexReader, at: int, share: float) -> None:
    check(run(segment, "lantern wick", Clock(2000 * share, at), budget_ms=2000, results=50))


def test_too_late_to_score_the_prefilter_s_order_is_returned(segment: IndexReader) -> None:
    response = run(segment, "lantern wick", Clock(2000 * SCORE_BY, at=2), budget_ms=2000, results=50, explain=True)
    assert response.degrade_kind == "time"
    assert response.results
    assert "score" not in response.stages_run
    assert "score: not reached, the time for scoring ended" in response.trace
    assert response.trace[-1].endswith("; out of time")
    assert {hit.stage for hit in response.results} == {"prefilter"}
    assert response.coverage.parts.not_reached == 0  # everything was looked at
    assert response.elapsed_ms >= 2000 * SCORE_BY


def test_in_time_nothing_is_degraded(segment: IndexReader) -> None:
    response = run(segment, "lantern wick", Clock(2000 * SCORE_BY - 500, at=2), budget_ms=2000)
    assert response.degrade_kind == "none"
    assert "score" in response.stages_run


def test_time_that_ends_while_scoring_leaves_no_mixed_list(
    segment: IndexReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    # native code reads the real clock: its time ends at once, that of the stages before does not
    real = Deadline.too_late_to_score
    monkeypatch.setattr(Deadline, "__init__", _spent_for_native_loops(Deadline.__init__))
    monkeypatch.setattr(Deadline, "too_late_to_score", lambda _: False)
    response = run(segment, "lantern wick", budget_ms=60_000, results=DEFAULT.survivors)
    monkeypatch.setattr(Deadline, "too_late_to_score", real)
    assert {hit.stage for hit in response.results} == {"prefilter"}
    assert response.degrade_kind == "time"


def _spent_for_native_loops(real: Callable[..., None]) -> Callable[..., None]:
    def init(self: Deadline, *args: Any, **kwargs: Any) -> None:
        real(self, *args, **kwargs)
        self.score_by_ns = monotonic_ns()

    return init


def test_a_word_whose_look_up_was_interrupted_is_not_counted_as_done(segment: IndexReader) -> None:
    times = iter([0, 0, 3_000_000_000])  # at the start, before the word and behind it
    query = Query.parse("lantren", NOW, Options())
    everything = eligible_set(segment, query)
    assert expand(query, segment, everything, Deadline(2000, lambda: next(times))).words_done == 0


def test_inflections_that_take_long_are_not_looked_up_after_the_deadline() -> None:
    """Hundreds of terms with one beginning were once stemmed whatever the time: 5 ms too late at a million parts."""
    words = ["lanterns", *(f"lantern{a}{b}" for a in "abcdefghij" for b in "klmnopqrst")]
    segment = IndexReader([build([session("s", " ".join(words))])])
    lexicon = Lexicon(segment, None, late=lambda: True)
    assert lexicon.families([b"lantern", b"nothing"]) == [(), ()]
    found = Lexicon(segment, None).families([b"lantern"])
    assert b"lanterns" in [form for form, _ in found[0]]
    assert lexicon.families([b"lantern"]) == found  # cached by now


def test_one_list_never_mixes_stages(segment: IndexReader) -> None:
    response = run(segment, "lantern wick", results=50, budget_ms=60_000, fold=False)
    assert len(response.results) > DEFAULT.survivors
    assert len({hit.stage for hit in response.results}) == 1


def test_parts_not_reached_are_counted(segment: IndexReader) -> None:
    response = run(segment, "lantern", Clock(0, at=1), budget_ms=0.001)
    assert response.coverage.parts.not_reached == response.coverage.parts.eligible
    assert not response.results


@pytest.mark.parametrize("match", ["literal", "smart", "regex"])
def test_a_cancelled_search_ends_with_an_answer(segment: IndexReader, match: str) -> None:
    cancel = threading.Event()
    cancel.set()
    response = run(segment, "lantern wick", cancel=cancel, budget_ms=60_000, match=match)
    check(response)
    assert response.degrade_kind == "time"


def test_a_pattern_is_cancelled_while_it_is_tried(segment: IndexReader) -> None:

    class AfterTen:
        asked = 0

        def is_set(self) -> bool:
            self.asked += 1
            return self.asked > 10

    response = run(segment, "lantern.*wick", cancel=AfterTen(), budget_ms=60_000, match="regex")
    assert response.degrade_kind == "time"
    assert 0 < response.coverage.parts.searched < response.coverage.parts.eligible


def test_a_larger_budget_never_covers_less(segment: IndexReader) -> None:
    covered = [run(segment, "lantern", budget_ms=budget).coverage.parts.searched for budget in (0.001, 60_000)]
    assert covered == sorted(covered)


@pytest.mark.slow
@pytest.mark.parametrize("match", ["literal", "smart", "fuzzy", "regex"])
@pytest.mark.parametrize("group", ["part", "session"])
@pytest.mark.parametrize("order", ["relevance", "time"])
@pytest.mark.parametrize("text", ["lantern wick", "nowhere"])
def test_an_answer_behind_its_budget_says_so(
    segment: IndexReader, match: str, group: str, order: str, text: str
) -> None:
    """Whichever reading of the clock is the first one behind the budget, also the last of all."""
    options = {"match": match, "group": group, "order": order, "budget_ms": 60_000}
    clock = Clock(0, at=10**9)
    assert run(segment, text, clock, **options).degrade_kind == "none"
    for at in range(2, clock.readings + 1):
        response = run(segment, text, Clock(61_000, at), **options)
        check(response)
        assert response.elapsed_ms > 60_000
        assert response.degrade_kind == "time"
        assert "time_budget" in response.coverage.limited_by
        assert not response.total_exact


@pytest.mark.parametrize("group", ["part", "session"])
def test_a_snippet_that_was_cut_in_haste_is_reported(segment: IndexReader, group: str) -> None:
    """The reserve for the answer has begun: the snippets show the beginning of the passages."""
    options = {"group": group, "budget_ms": 60_000}
    clock = Clock(0, at=10**9)
    whole = run(segment, "storm tide", clock, **options)
    for at in range(2, clock.readings + 1):
        response = run(segment, "storm tide", Clock(59_999, at), **options)
        if [hit.snippet for hit in response.results] != [hit.snippet for hit in whole.results]:
            assert response.degrade_kind == "time"


def test_time_is_measured(segment: IndexReader) -> None:
    response = run(segment, "lantern", Clock(50, at=3), budget_ms=2000)
    assert response.elapsed_ms >= 50
    assert 0 < response.cpu_ms < 5000


# --- the deadline itself -------------------------------------------------------------------------------------


def test_a_deadline_of_a_test_s_clock() -> None:
    now = [1_000]
    deadline = Deadline(10, clock=lambda: now[0])
    assert deadline.at_ns == 8_001_000  # two milliseconds are kept for the answer
    assert not deadline.passed()
    assert not deadline.too_late_to_score()
    now[0] += int(10_000_000 * SCORE_BY)
    assert deadline.too_late_to_score()
    assert not deadline.passed()
    left = deadline.at_ns - now[0]
    assert (deadline.passed(left - 1), deadline.passed(left)) == (False, True)
    now[0] = deadline.at_ns
    assert deadline.passed()
    assert deadline.elapsed_ms() == pytest.approx(8)


def test_cancelling_passes_a_deadline() -> None:
    cancel = threading.Event()
    deadline = Deadline(60_000, cancel=cancel)
    assert not deadline.passed()
    cancel.set()
    assert deadline.passed()
    assert deadline.too_late_to_score()


def test_the_kinds_in_the_order_that_names_an_answer() -> None:
    assert list(DegradeKind) == ["none", "time", "budget", "fallback"]


def test_a_long_scan_ends_soon_after_its_deadline() -> None:
    segment = IndexReader([build([session("s", *["ab " * 30_000] * 8)])])
    for match in ("smart", "literal"):
        check(run(segment, "zzab ab", budget_ms=1, match=match))


# --- time for what was found ---------------------------------------------------------------------------------


def test_a_scan_leaves_time_for_the_parts_that_it_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock stands still: only what is found uses up the time."""
    reader = IndexReader([build([session("s", *(f"lantern {number}" for number in range(200)))])])
    now = monotonic_ns() + 10**15  # the clock of the kernels does not come there
    monkeypatch.setattr(literal_scan, "monotonic_ns", lambda: now)
    monkeypatch.setattr(literal_scan, "places", lambda *_: None)
    monkeypatch.setattr(literal_scan, "STRIDE_BYTES", 64)  # about six parts
    found = bytearray(reader.parts)
    reached = reader.mark_text("lantern", None, found, now + 50 * HIT_NS)
    assert 50 <= found.count(1) < 60
    assert reached < reader.parts
    found = bytearray(reader.parts)
    assert mark_pattern(reader, "lan.*rn", None, found, lambda ahead_ns: ahead_ns >= 50 * HIT_NS) < reader.parts
    assert found.count(1) == 50


def test_a_scan_leaves_time_for_the_hits_that_are_known(segment: IndexReader) -> None:
    for match in ("literal", "regex"):
        query = Query.parse("lantern", NOW, Options(match=match))  # type: ignore[arg-type]
        marks, reached = text_hits(segment, query, None, Deadline(60_000), 60_000_000_000)
        assert (marks.count(1), reached) == (0, 0)
        marks, reached = text_hits(segment, query, None, Deadline(60_000), 1_000)
        assert reached == segment.parts
        assert marks.count(1) > 0


def test_a_search_whose_best_hits_were_not_all_looked_for_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 400 sessions with a hit; the time ends when all documents are read."""
    reader = IndexReader([build([session(f"s{number}", f"lantern {number}") for number in range(400)])])
    plain = run(reader, "lantern", results=5)
    real = best_hits.best_parts

    def late(context: SearchContext, evidence: Any) -> Any:
        context.deadline.at_ns = 1
        return real(context, evidence)

    monkeypatch.setattr(page, "best_parts", late)
    response = run(reader, "lantern", results=5)
    assert (plain.degrade_kind, response.degrade_kind) == ("none", "time")
    assert (len(response.results), response.total) == (5, plain.total)
