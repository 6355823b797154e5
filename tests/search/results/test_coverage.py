"""Coverage adds up, and counts nothing as searched that was not, for all limits and budgets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import count, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank._core.search.evidence import Evidence
from recall_rank.index.reader import index_reader, literal_scan
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.build import build
from recall_rank.model import Coverage, SearchResponse, Session
from recall_rank.search import engine
from recall_rank.search.filters.eligible import EligibleSet
from recall_rank.search.options import Options
from recall_rank.search.query import Query
from recall_rank.search.retrieval import literal as literal_stage
from recall_rank.search.retrieval import prefilter as prefilter_stage
from tests.support.examples import examples
from tests.support.index.cutting import Cut, cuts, joined
from tests.support.search.plain_search import NEEDLE, Allowed, allowed, few_limits, histories, made_from, query
from tests.support.search.planting import replace_everywhere
from tests.support.search.samples import ENOUGH_MS, NOW, message, session

some = examples(60)
modes = st.sampled_from(("literal", "smart", "regex"))
groups = st.sampled_from(("part", "session"))
orders = st.sampled_from(("relevance", "time"))
kept = st.none() | cuts  # in one segment, or in several with sessions in them that are gone

MS = 1_000_000
LATE = 1_000_000  # ms: a jump of the clock beyond every budget


class Clock:
    """A clock that stands still, but jumps by `jump_ms` at its `at`-th reading. Native loops, which read the real
    time, see no deadline: it starts far in the future."""

    def __init__(self, at: int = 10**9, jump_ms: int = LATE) -> None:
        self.readings = count(1)
        self.at, self.jump = at, jump_ms * MS
        self.late = False

    def __call__(self) -> int:
        self.late = self.late or next(self.readings) >= self.at
        return 2**62 + (self.jump if self.late else 0)


class Spent(Clock):
    """The same for a budget that was spent before anything began, in native loops too."""

    def __call__(self) -> int:
        self.late = self.late or next(self.readings) >= self.at
        return 1 + (self.jump if self.late else 0)


class Left:
    """A caller who cancels at the `looks`-th look."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def is_set(self) -> bool:
        self.looks -= 1
        return self.looks < 0


def run(segment: IndexReader, text: str, clock: Callable[[], int] | None = None, **options: Any) -> SearchResponse:
    budget = 0.001 if isinstance(clock, Spent) else ENOUGH_MS
    made = Options(**{"now": NOW, "budget_ms": budget, "results": 1000, **options})
    return engine.search(segment, Query.parse(text, NOW, made), clock=clock or Clock())


def asked_as(match: str, text: str) -> str:
    r"""The query of a mode. With \b a pattern is tried on each part by itself, with a look at the clock before each."""
    return rf"\b{text.split(maxsplit=1)[0]}\b" if match == "regex" else text


def adds_up(coverage: Coverage) -> None:
    for ledger in (coverage.sessions, coverage.messages, coverage.parts):
        assert ledger.known == ledger.eligible + sum(ledger.skipped.values())
        assert ledger.eligible == ledger.searched + ledger.not_reached
        assert min(ledger.known, ledger.eligible, ledger.searched, ledger.not_reached) >= 0
        assert all(number > 0 for number in ledger.skipped.values())


def agrees(response: SearchResponse, options: dict[str, Any]) -> None:
    """What an answer says about being incomplete, it says everywhere alike."""
    coverage, kinds = response.coverage, list(response.degrade_kinds)
    assert kinds == [kind for kind in ("time", "budget", "fallback") if kind in kinds]
    assert response.degrade_kind == (kinds[0] if kinds else "none")
    assert ("time" in kinds) == ("time_budget" in coverage.limited_by)
    assert ("budget" in kinds) == ("sessions_limit" in coverage.limited_by)
    assert ("budget" in kinds) == bool(coverage.sessions.skipped.get("sessions_limit"))
    if coverage.parts.not_reached or coverage.sessions.not_reached or coverage.messages.not_reached:
        assert "time" in kinds
    if "time" in kinds:
        assert not response.total_exact
    if "fallback" in kinds:
        assert options["match"] in ("smart", "fuzzy")
        assert {hit.stage for hit in response.results} <= {"scan"}
    assert response.total >= len(response.results)
    named = {"session_id", "project", "title", "directory"} & options.keys()
    named |= {"time"} if {"after", "before"} & options.keys() else set()
    assert set(coverage.limited_by) - {"sessions_limit", "time_budget"} == named


def complete(response: SearchResponse, may: Allowed, text: str, options: dict[str, Any]) -> None:
    """With everything searched and counted, the answer is that of the obvious search."""
    right = may.holding(text, options["match"])
    if options["group"] == "session":
        assert {hit.session_id: hit.hit_count for hit in response.results} == Counter(right.values())
    else:
        shown = Counter(hit.part_id for hit in response.results)
        folded = right.keys() - shown.keys()
        assert shown == Counter(right.keys() - folded)
        assert not folded or options["order"] == "relevance"
        titles = {f"{each.id}:title": each for each in may.sessions}
        assert all(key in titles and made_from(titles[key], shown) for key in folded)
    assert response.total == len(response.results)
    assert not response.truncated


@some
@given(
    histories(),
    kept,
    query,
    few_limits,
    modes,
    groups,
    orders,
    st.none() | st.builds(Clock, st.integers(1, 40)) | st.builds(Spent, st.integers(1, 3)),
    st.none() | st.builds(Left, st.integers(0, 30)),
)
def test_the_ledger_adds_up_and_is_that_of_the_obvious_search(
    history: list[Session],
    cut: Cut | None,
    text: str,
    limits: dict[str, Any],
    match: str,
    group: str,
    order: str,
    clock: Clock | None,
    cancel: Left | None,
) -> None:
    options = {**limits, "match": match, "group": group, "order": order}
    asked = asked_as(match, text)
    response = run(joined(history, cut), asked, clock, cancel=cancel, **options)
    may, coverage = allowed(history, limits), response.coverage
    adds_up(coverage)
    assert coverage.sessions.known == len(history)
    assert coverage.messages.known == sum(len(each.messages) for each in history)
    assert coverage.parts.known == sum(len(m.parts) for each in history for m in each.messages)
    assert coverage.sessions.eligible == len(may.sessions)
    assert coverage.messages.eligible == len(may.messages)
    if coverage.parts.not_reached and limits.keys() & {"must", "must_not"}:
        assert coverage.parts.eligible >= len(may.parts)  # whether what was not read has the words, nobody knows
    else:
        assert coverage.parts.eligible == len(may.parts)
    agrees(response, options)
    if clock is None and cancel is None:
        assert response.total_exact
        assert coverage.parts.not_reached == coverage.messages.not_reached == coverage.sessions.not_reached == 0
    if response.total_exact and coverage.parts.not_reached == 0:
        complete(response, may, asked, options)


@some
@given(histories(), kept, query, few_limits, modes, groups, orders, st.integers(1, 5), st.integers(0, 12))
def test_a_page_changes_no_coverage(
    history: list[Session],
    cut: Cut | None,
    text: str,
    limits: dict[str, Any],
    match: str,
    group: str,
    order: str,
    size: int,
    skip: int,
) -> None:
    options = {**limits, "match": match, "group": group, "order": order}
    segment, asked = joined(history, cut), asked_as(match, text)
    whole = run(segment, asked, **options)
    page = run(segment, asked, results=size, offset=skip, **options)
    assert page.coverage.sessions == whole.coverage.sessions
    assert page.coverage.messages == whole.coverage.messages
    assert page.coverage.parts == whole.coverage.parts
    assert page.coverage.limited_by == whole.coverage.limited_by
    agrees(page, options)
    assert page.truncated == (whole.total > skip + len(page.results) and skip < whole.total)
    if page.total_exact:
        assert page.total == whole.total


# --- a budget that ends in the middle -------------------------------------------------------------------------
#
# In these histories every part says NEEDLE. What was looked at is then what was found, and nothing else can be claimed.

everywhere = histories(st.sampled_from((NEEDLE, f"{NEEDLE} velvet", f"velvet {NEEDLE}")))
narrow = few_limits.filter(lambda limits: not limits.keys() & {"must_not"})


def looked_at(may: Allowed, response: SearchResponse) -> tuple[int, int, int]:
    """Sessions, messages and parts of which nothing was left out, as far as what was found shows."""
    found = {hit.part_id for hit in response.results}
    missing = may.parts.keys() - found
    sessions = sum(all(key not in missing for m in s.messages for key in _parts(m)) for s in may.sessions)
    messages = sum(not missing & set(_parts(m)) for m in may.messages)
    return sessions, messages, len(may.parts) - len(missing)


def _parts(message: Any) -> list[str]:
    return [part.id for part in message.parts]


def claims_no_more(response: SearchResponse, may: Allowed) -> None:
    sessions, messages, parts = looked_at(may, response)
    coverage = response.coverage
    assert coverage.parts.searched <= parts
    assert coverage.messages.searched <= messages
    assert coverage.sessions.searched <= sessions


@some
@given(everywhere, kept, narrow, orders, st.integers(0, 40))
def test_a_pattern_cut_short_claims_no_more_than_it_was_tried_on(
    history: list[Session], cut: Cut | None, limits: dict[str, Any], order: str, looks: int
) -> None:
    response = run(joined(history, cut), rf"\b{NEEDLE}\b", cancel=Left(looks), match="regex", order=order, **limits)
    adds_up(response.coverage)
    claims_no_more(response, allowed(history, limits))


def cut_scan(parts: int) -> Callable[..., Any]:
    """The text scan, ended before part number `parts` of the segment."""
    real = literal_stage.text_hits

    def text_hits(segment: IndexReader, *args: Any) -> tuple[bytearray, int]:
        marks, looked = real(segment, *args)
        stop = min(parts, looked)
        return marks[:stop] + bytes(len(marks) - stop), stop

    return text_hits


def cut_filter(parts: int) -> Callable[..., Any]:
    """The look for words that must or must not be there, ended before part number `parts` of the segment."""
    real = literal_scan.mark_literal

    def mark_literal(views: Any, text: str, keep: Any, found: bytearray, deadline_ns: int) -> int:
        stop = min(parts, real(views, text, keep, found, deadline_ns))
        found[stop:] = bytes(len(found) - stop)
        return stop

    return mark_literal


class CutShort:
    """Evidence of which only the first documents were reached."""

    def __init__(self, evidence: Any, docs: int) -> None:
        self.evidence = evidence
        self.docs_done = docs

    def __getattr__(self, name: str) -> Any:
        return getattr(self.evidence, name)


def cut_prefilter(docs: int) -> Callable[..., Any]:
    """The prefilter, ended before document number `docs` of the segment."""
    real = prefilter_stage.prefilter

    def prefilter(segment: IndexReader, query: Query, expansion: Any, eligible: EligibleSet, *args: Any) -> Any:
        reached = min(docs, segment.docs)
        own = (piece.docs_of(eligible.doc_marks) for piece in segment.views)
        left = (b"\1" * p.segment.docs if o is None else o for p, o in zip(segment.views, own, strict=True))
        mask = bytearray().join(left)
        mask[reached:] = bytes(segment.docs - reached)
        return CutShort(real(segment, query, expansion, replace(eligible, doc_marks=mask), *args), reached)

    return prefilter


@some
@given(everywhere, kept, narrow, orders, st.sampled_from(("literal", "regex")), st.integers(0, 30))
def test_a_scan_cut_short_claims_no_more_than_it_looked_at(
    history: list[Session], cut: Cut | None, limits: dict[str, Any], order: str, match: str, parts: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        replace_everywhere(patch, literal_stage.text_hits, cut_scan(parts))
        response = run(joined(history, cut), NEEDLE, match=match, order=order, **limits)
    adds_up(response.coverage)
    claims_no_more(response, allowed(history, limits))


worded = st.fixed_dictionaries({}, optional={"must": st.just(["velvet"]), "must_not": st.just(["thistle", "quartz"])})


@some
@given(histories(), kept, worded.filter(bool), modes, groups, st.integers(0, 30))
def test_filters_by_words_cut_short_let_nothing_through_and_claim_no_more(
    history: list[Session], cut: Cut | None, limits: dict[str, Any], match: str, group: str, parts: int
) -> None:
    text = asked_as(match, "lantern")
    whole = run(joined(history, cut), text, match=match, group=group, **limits)
    with pytest.MonkeyPatch.context() as patch:
        replace_everywhere(patch, literal_scan.mark_literal, cut_filter(parts))
        response = run(joined(history, cut), text, match=match, group=group, **limits)
    adds_up(response.coverage)
    assert {hit.session_id for hit in response.results} <= {hit.session_id for hit in whole.results}
    if group == "part":
        assert {hit.part_id for hit in response.results} <= {hit.part_id for hit in whole.results}
    left = response.coverage.parts
    assert left.searched <= whole.coverage.parts.searched <= left.searched + left.not_reached
    assert "time" in response.degrade_kinds or left == whole.coverage.parts


@some
@given(everywhere, kept, narrow, st.sampled_from(("smart", "fuzzy")), st.integers(0, 30), st.integers(0, 30))
def test_a_prefilter_cut_short_claims_no_more_than_it_read(
    history: list[Session], cut: Cut | None, limits: dict[str, Any], match: str, docs: int, parts: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        replace_everywhere(patch, prefilter_stage.prefilter, cut_prefilter(docs))
        replace_everywhere(patch, literal_stage.text_hits, cut_scan(parts))
        response = run(joined(history, cut), NEEDLE, match=match, **limits)
    adds_up(response.coverage)
    assert "time" in response.degrade_kinds or response.coverage.parts.not_reached == 0
    claims_no_more(response, allowed(history, limits))


def evidence_without(missing: set[int]) -> type[Evidence]:
    """Evidence that reaches the deadline at the first segment whose number is in `missing`, when it comes to it."""

    class CutEvidence(Evidence):
        def accumulate_segments(self, first: int, last: int, deadline_ns: int, threads: int) -> bool:
            read = super().accumulate_segments
            done = [k not in missing and read(k, k + 1, deadline_ns, threads) for k in range(first, last)]
            return all(done)

    return CutEvidence


@some
@given(everywhere, cuts, narrow, st.sets(st.integers(0, 4)), st.integers(0, 30))
def test_segments_that_were_not_read_are_not_claimed(
    history: list[Session], cut: Cut, limits: dict[str, Any], missing: set[int], parts: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_reader, "Evidence", evidence_without(missing))
        replace_everywhere(patch, literal_stage.text_hits, cut_scan(parts))
        # in another order than anybody says it, so that the text scan finds nothing that the words do not
        response = run(joined(history, cut), f"velvet thistle {NEEDLE}", match="smart", **limits)
    adds_up(response.coverage)
    claims_no_more(response, allowed(history, limits))


@some
@given(histories(), narrow, st.integers(0, 4), st.sampled_from(("literal", "regex")), st.integers(0, 30))
def test_a_needle_is_found_inside_what_was_searched_and_only_there(
    history: list[Session], limits: dict[str, Any], place: int, match: str, parts: int
) -> None:
    holder = f"s{place % len(history)}"
    planted = [
        Session(s.id, (*s.messages, message(f"{s.id}.n", f"velvet {NEEDLE}", time=NOW - 1)), s.title, s.directory,
                s.project, updated=s.updated) if s.id == holder else s
        for s in history
    ]  # fmt: skip
    may = allowed(planted, limits)
    order = [each.id for each in may.sessions]
    with pytest.MonkeyPatch.context() as patch:
        replace_everywhere(patch, literal_stage.text_hits, cut_scan(parts))
        response = run(IndexReader([build(planted)]), NEEDLE, match=match, **limits)
    found = {hit.session_id for hit in response.results}
    if f"{holder}.n.1" not in may.parts:
        assert not found
        return
    if limits.get("fallback") and "directory" in limits:
        return  # nearer directories are counted first, but not searched first
    if order.index(holder) < response.coverage.sessions.searched:
        assert found == {holder}
    elif order.index(holder) > response.coverage.sessions.searched:  # the one in the middle was begun
        assert not found


@pytest.mark.parametrize("match", ["literal", "smart", "fuzzy", "regex"])
@pytest.mark.parametrize("order", ["relevance", "time"])
@pytest.mark.parametrize("text", [NEEDLE, f"{NEEDLE} velvet", "🚀"])
def test_of_a_budget_that_is_spent_nothing_is_claimed(match: str, order: str, text: str) -> None:
    segment = IndexReader([build([session("a", NEEDLE, f"{NEEDLE} velvet 🚀"), session("b", NEEDLE, title=NEEDLE)])])
    coverage = run(segment, text, Spent(2), match=match, order=order).coverage
    assert (coverage.sessions.searched, coverage.messages.searched, coverage.parts.searched) == (0, 0, 0)
    assert "time_budget" in coverage.limited_by


def test_what_is_not_eligible_counts_for_nothing_when_time_ends() -> None:
    # the newest half of the history is looked at before the end, but all that may answer is in the other half
    history = [session("new", *[f"{NEEDLE} {n}" for n in range(10)], updated=NOW)]
    history.append(session("old", *[f"{NEEDLE} {n}" for n in range(10)], updated=NOW - 1))
    with pytest.MonkeyPatch.context() as patch:
        replace_everywhere(patch, literal_stage.text_hits, cut_scan(11))
        response = run(IndexReader([build(history)]), NEEDLE, match="literal", session_id="old")
    assert not response.results
    assert response.coverage.parts.searched == 0


def test_a_session_half_searched_is_no_session_searched() -> None:
    history = [session("new", *[f"{NEEDLE} {n}" for n in range(10)], updated=NOW)]
    history.append(session("old", NEEDLE, updated=NOW - 1))
    with pytest.MonkeyPatch.context() as patch:
        replace_everywhere(patch, literal_stage.text_hits, cut_scan(9))
        coverage = run(IndexReader([build(history)]), NEEDLE, match="literal").coverage
    assert coverage.sessions.searched == 0
    assert coverage.parts.searched == 8  # the title's part is not counted


@pytest.mark.parametrize("words_in_time", [0, 1, 2])
def test_words_that_were_not_looked_up_were_not_searched(words_in_time: int) -> None:
    # nothing was looked at for the last word, and it is the only one that stands there
    segment = IndexReader([build([session(f"s{n}", "thistle biscuit") for n in range(10)])])
    response = run(segment, "harbor lantern thistle", Clock(at=2 + words_in_time))
    assert "time" in response.degrade_kinds
    assert not response.results
    assert response.coverage.parts.searched == 0
    assert response.coverage.sessions.searched == 0


def test_the_folded_copies_were_searched_too_or_are_not_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = literal_scan.mark_parts

    def too_late(*args: Any) -> int:
        """The plain text is looked at in time; when the turn of the copies comes, the deadline has passed."""
        return real(*args[:5], 1) if args[0] is segment.views[0].segment.folded_text else real(*args)

    segment = IndexReader([build([session(f"s{n}", "ÄRGER", "calm") for n in range(5)])])
    assert len(run(segment, "ärger", match="literal").results) == 5
    monkeypatch.setattr(literal_scan, "mark_parts", too_late)
    response = run(segment, "ärger", match="literal")
    assert response.coverage.parts.searched <= 10 - 5 + len(response.results)
    assert not response.total_exact


@pytest.mark.parametrize("match", ["literal", "smart", "regex"])
@pytest.mark.parametrize("cut", [None, Cut(3, (0, 2, 1, 1, 0, 2, 2, 0), ((1, 2, True), (0, 3, False)))])
def test_a_larger_budget_never_covers_less_nor_finds_less(cut: Cut | None, match: str) -> None:
    segment = joined([session(f"s{n}", f"{NEEDLE} velvet", "velvet", title=NEEDLE) for n in range(8)], cut)
    asked = asked_as(match, f"{NEEDLE} velvet")
    answers = [run(segment, asked, cancel=Left(looks), match=match) for looks in range(60)]
    for less, more in pairwise(answers):
        assert less.coverage.parts.searched <= more.coverage.parts.searched
        assert less.coverage.sessions.searched <= more.coverage.sessions.searched
        assert matches(less) <= matches(more)


def matches(response: SearchResponse) -> set[str]:
    """Return the ids of the parts that match, also of titles that are shown with the message they were made from."""
    titles = {f"{hit.session_id}:title" for hit in response.results if hit.title_match}
    return titles | {hit.part_id for hit in response.results}
