"""Where other recall engines said what was not so, or missed what was there: what this one does instead.

B and W with a number are the usual list of such defects: B what was said about an answer, W what was not found.
"""

from __future__ import annotations

from time import monotonic_ns
from typing import Any

import pytest

from recall_rank.corpus import Index
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.build import build
from recall_rank.model import SearchResponse, Session
from recall_rank.search import engine
from recall_rank.search.deadline import SCORE_BY
from recall_rank.search.options import Options
from recall_rank.search.query import Query
from recall_rank.search.results import snippet
from tests.support.search.planting import replace_everywhere
from tests.support.search.samples import DAY_MS, NOW, ask, found, marked, message, paged, part, parts, session, texts

MODES = ("literal", "smart", "fuzzy", "regex")


class Clock:
    """The real time, as native loops see it, that jumps by `jump_ms` at its `at`-th reading."""

    def __init__(self, jump_ms: float, at: int) -> None:
        self.jump, self.at, self.readings = int(jump_ms * 1e6), at, 0

    def __call__(self) -> int:
        self.readings += 1
        return monotonic_ns() + (self.jump if self.readings >= self.at else 0)


class Left:
    """A caller who cancels at the `looks`-th look."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def is_set(self) -> bool:
        self.looks -= 1
        return self.looks < 0


BUDGET_MS = 60_000.0


def timed(segment: IndexReader, text: str, clock: Any = monotonic_ns, **options: Any) -> SearchResponse:
    made = Options(**{"now": NOW, "budget_ms": BUDGET_MS, **options})
    return engine.search(segment, Query.parse(text, NOW, made), clock=clock)


def ferry(count: int = 40, said: str = "the gangway creaks") -> list[Session]:
    """Sessions f0 (the newest), f1, ... in which the same is said."""
    return [session(f"f{n}", f"{said} {n}", "and then?", updated=NOW - n) for n in range(count)]


# --- honest answers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("match", MODES)
@pytest.mark.parametrize("group", ["part", "session"])
def test_a_budget_that_ended_a_search_is_named_in_the_default_search_too(match: str, group: str) -> None:
    """B1: the limits were noted before ranking, so those that ranking met were lost."""
    response = ask(Index.build(ferry()), "gangway", match=match, group=group, budget_ms=0.001)
    assert list(response.coverage.limited_by) == ["time_budget"]
    assert response.degrade_kind == "time"


@pytest.mark.parametrize("match", MODES)
def test_a_limit_on_sessions_is_named_beside_the_time_that_ran_out(match: str) -> None:
    response = ask(Index.build(ferry()), "gangway", match=match, sessions=3, budget_ms=0.001)
    assert list(response.coverage.limited_by) == ["sessions_limit", "time_budget"]
    assert list(response.degrade_kinds)[:2] == ["time", "budget"]


def test_searched_is_what_was_looked_at_not_what_was_loaded() -> None:
    """B2: 3,601 parts were claimed where 3,000 had been looked at."""
    segment = IndexReader([build(ferry(30))])
    looked = [timed(segment, r"\bgangway\b", match="regex", results=1000, cancel=Left(n)) for n in range(0, 60, 5)]
    for response in looked:
        coverage = response.coverage.parts
        assert coverage.eligible == 60
        assert coverage.searched <= 2 * len(response.results) + 2  # every other part says it
    assert len({response.coverage.parts.searched for response in looked}) > 3


@pytest.mark.parametrize("match", MODES)
def test_a_part_that_holds_the_query_in_two_fields_is_one_hit(match: str) -> None:
    """B3: fields were counted, so that of one hit one was shown, two were told and more were promised."""
    tool = part("p", tool="bash", input={"command": "moor ferry", "note": "moor ferry"}, output="moor ferry moor ferry")
    response = ask(Index.build([session("s", message("m", tool))]), "moor ferry", match=match)
    assert (len(response.results), response.total, response.truncated) == (1, 1, False)
    grouped = ask(Index.build([session("s", message("m", tool))]), "moor ferry", match=match, group="session")
    assert [hit.hit_count for hit in grouped.results] == [1]


@pytest.mark.parametrize("match", ["literal", "regex"])
@pytest.mark.parametrize("order", ["relevance", "time"])
def test_the_total_goes_on_behind_the_page(match: str, order: str) -> None:
    """B4: the count stopped where the page was full, and nothing said that there was more."""
    index = Index.build([session("s", *[f"gangway {n}" for n in range(24)])])
    response = ask(index, "gangway", match=match, order=order, results=10)
    assert (len(response.results), response.total, response.total_exact, response.truncated) == (10, 24, True, True)


@pytest.mark.parametrize("match", MODES)
def test_a_page_that_is_full_says_whether_there_is_more(match: str) -> None:
    for hits in (9, 10, 11):
        index = Index.build([session("s", *[f"gangway {n}" for n in range(hits)])])
        assert ask(index, "gangway", match=match, results=10).truncated is (hits > 10)


@pytest.mark.parametrize("match", MODES)
@pytest.mark.parametrize("order", ["relevance", "time"])
def test_grouped_hits_are_counted_to_the_end_and_no_session_is_missing(match: str, order: str) -> None:
    """B5: counting stopped at a thousand hits: three of nine sessions, and the third of them half counted."""
    index = Index.build([session(f"s{n}", *["gangway"] * 200, updated=NOW - n) for n in range(9)])
    response = ask(index, "gangway", match=match, group="session", order=order, results=20)
    assert {hit.session_id: hit.hit_count for hit in response.results} == {f"s{n}": 200 for n in range(9)}
    assert all(hit.hit_count_exact for hit in response.results)
    assert (response.total, response.total_exact, response.truncated) == (9, True, False)


@pytest.mark.parametrize("match", MODES)
@pytest.mark.parametrize("limits", [{}, {"directory": "/quay"}, {"title": "quay"}], ids=str)
def test_sessions_left_out_by_a_limit_are_counted_as_left_out(match: str, limits: dict[str, Any]) -> None:
    """B6: a limit that the listing applied was a limit of which coverage knew nothing."""
    history = [session(f"s{n}", "gangway", directory="/quay", title="quay", updated=NOW - n) for n in range(5)]
    response = ask(Index.build(history), "gangway", match=match, type="text", sessions=2, results=50, **limits)
    count = response.coverage.sessions
    assert (count.known, count.eligible, count.searched, count.skipped) == (5, 2, 2, {"sessions_limit": 3})
    assert "sessions_limit" in response.coverage.limited_by
    assert {hit.session_id for hit in response.results} == {"s0", "s1"}


def test_every_way_in_which_an_answer_is_less_is_told() -> None:
    """B7: there was room for one, and the fallback hid the cap."""
    index = Index.build([session(f"s{n}", "xgangwayx", updated=NOW - n) for n in range(3)])
    response = ask(index, "angway", sessions=2)
    assert list(response.degrade_kinds) == ["budget", "fallback"]
    assert list(ask(index, "angway").degrade_kinds) == ["fallback"]
    assert response.results[0].stage == "scan"


@pytest.mark.parametrize("match", MODES)
@pytest.mark.parametrize("group", ["part", "session"])
def test_a_search_cut_short_never_says_that_there_is_nothing(match: str, group: str) -> None:
    """B8: a scan that was cut and had found nothing suggested that there was nothing."""
    history = [*ferry(3), session("old", "the bosun whistles", updated=NOW - 99)]
    cut = ask(Index.build(history), "bosun", match=match, group=group, budget_ms=0.001)
    assert not cut.results
    assert (cut.degrade_kind, cut.total_exact) == ("time", False)
    assert "time_budget" in cut.coverage.limited_by
    false = ("no part", "no hit", "nobody", "were searched")
    assert not any(words in text for text in cut.suggestions for words in false)
    assert not cut.near_misses
    assert ask(Index.build(history), "bosun", match=match, group=group).results


@pytest.mark.parametrize("limits", [{"type": "tool"}, {"directory": "/elsewhere"}, {"role": "assistant"}], ids=str)
def test_nor_that_a_filter_left_nothing(limits: dict[str, Any]) -> None:
    tool = message("t", part("t.1", tool="bash", output="the bosun whistles"), role="assistant")
    index = Index.build([session("s", tool, directory="/elsewhere")])
    cut = ask(index, "bosun", budget_ms=0.001, **limits)
    assert not cut.results
    assert not any("no hit" in text for text in cut.suggestions)
    assert ask(index, "bosun", **limits).results


def test_a_pattern_cut_in_the_middle_keeps_what_it_had_found_and_says_so() -> None:
    segment = IndexReader([build(ferry(30))])
    response = timed(segment, r"\bgangway\b", match="regex", results=1000, cancel=Left(20))
    assert 0 < len(response.results) < 30
    assert (response.degrade_kind, response.total_exact) == ("time", False)
    assert response.coverage.parts.not_reached > 0


def test_a_near_miss_is_near() -> None:
    """B9: they were the first sessions of the list, whatever had been asked."""
    history = [
        session("newest", "painting the wheelhouse", title="Paint", updated=NOW),
        session("near", "the mooring rope of the harbour ferry frayed", title="Rope", updated=NOW - 5),
    ]
    index = Index.build(history)
    misses = ask(index, "harbour mooring rope", match="literal").near_misses
    assert [near.session_id for near in misses] == ["near"]
    assert [(near.kind, near.text) for near in ask(index, "harxxur").near_misses] == [("term", "harbour")]
    assert not ask(index, "qqqqqqqq").near_misses


def test_a_session_with_one_word_of_many_is_not_near() -> None:
    history = [
        session("one", "the rope is blue"),
        session("most", "a mooring rope in the harbour frayed"),
        session("none", "painting"),
    ]
    misses = ask(Index.build(history), "frayed harbour mooring bollard rope", match="literal").near_misses
    assert [near.session_id for near in misses if near.kind == "session"] == ["most"]


@pytest.mark.parametrize("group", ["part", "session"])
@pytest.mark.parametrize("match", ["smart", "fuzzy"])
def test_however_late_it_gets_what_the_prefilter_found_is_answered(match: str, group: str) -> None:
    """B10: time that ended while candidates were built left an empty answer."""
    segment = IndexReader([build(ferry())])
    for at in range(3, 60):  # the words are looked up by the second reading
        response = timed(segment, "gangway", Clock(2 * BUDGET_MS, at), match=match, group=group)
        assert len(response.results) == 10
        assert response.total >= 40
    late = timed(segment, "gangway", Clock(BUDGET_MS * SCORE_BY, 2), match=match, group=group)
    assert {hit.stage for hit in late.results} == {"prefilter"}


@pytest.mark.parametrize("match", MODES)
def test_an_answer_in_time_does_not_depend_on_how_much_time_there_was(match: str) -> None:
    """B11: the wall clock decided which sessions became candidates."""

    def answer(response: SearchResponse) -> list[tuple[str, float, str]]:
        return [(hit.part_id, hit.score, hit.snippet) for hit in response.results]

    segment = IndexReader([build(ferry())])
    calm = timed(segment, "gangway creaks", match=match)
    for slower in (0.1, 0.5, 0.7):
        busy = timed(segment, "gangway creaks", Clock(BUDGET_MS * slower, 2), match=match)
        assert busy.degrade_kind == "none"
        assert answer(busy) == answer(calm)
    assert answer(timed(segment, "gangway creaks", match=match, budget_ms=10 * BUDGET_MS)) == answer(calm)


@pytest.mark.parametrize("match", MODES)
def test_cut_at_the_same_place_an_answer_is_the_same(match: str) -> None:
    segment = IndexReader([build(ferry())])
    for looks in range(0, 40, 4):
        once, again = (timed(segment, "gangway creaks", match=match, cancel=Left(looks)) for _ in range(2))
        assert [(hit.part_id, hit.score) for hit in once.results] == [(hit.part_id, hit.score) for hit in again.results]
        assert once.coverage == again.coverage


# --- nothing is lost ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crowded() -> Index:
    """3,600 parts: the one that matters is the oldest of all, and most others hold a common word of its sentence."""
    old = session("old", "we chose kelpBarrier for the harbour", updated=NOW - 400 * DAY_MS)
    return Index.build([old, *(session(f"n{n}", *["for harbour"] * 60, updated=NOW - n) for n in range(60))])


@pytest.mark.parametrize("group", ["part", "session"])
@pytest.mark.parametrize(
    ("match", "query"),
    [
        ("literal", "kelpBarrier for the harbour"),
        ("smart", "kelpBarrier harbour"),
        ("smart", "kelp barrier for harbour"),
        ("smart", "we chose kelp-barrier for the harbour"),
        ("fuzzy", "kelpBarreir harbour"),
        ("regex", r"kelp\w+ for"),
    ],
)
def test_nothing_is_dropped_before_it_was_asked_for(crowded: Index, match: str, query: str, group: str) -> None:
    """W1: only the newest three thousand candidates were ever ranked."""
    response = ask(crowded, query, match=match, group=group)
    assert response.results[0].session_id == "old"
    assert response.coverage.parts.searched == 3601


def test_one_session_of_many_parts_is_searched_to_its_first(crowded: Index) -> None:
    deep = Index.build([session("s", "the first word was kelpBarrier", *["harbour watch"] * 1500)])
    for match in MODES:
        assert ask(deep, "kelpBarrier", match=match).results[0].part_id == "s.0.1"


def test_a_wrong_guess_of_fuzzy_hides_no_exact_text() -> None:
    """W3: one wrong fuzzy hit and the text scan, which would have found it, never ran."""
    index = texts("the ganway was closed", "xgangwayx")
    assert found(index, "gangway", match="literal") == {"s.1.1"}
    for match in ("smart", "fuzzy"):
        assert found(index, "gangway", match=match) == {"s.0.1", "s.1.1"}


@pytest.mark.parametrize("length", [19_000, 25_000, 60_000])
@pytest.mark.parametrize("match", MODES)
def test_a_long_output_is_searched_to_its_end_and_hides_no_command(match: str, length: int) -> None:
    """W13: everything behind 20,000 characters was dropped without a word."""
    filler = "rivets and paint "
    output = filler * (length // len(filler)) + "then the capstan jammed"
    tool = part("p", tool="bash", input={"command": "inspect windlass"}, output=output)
    index = Index.build([session("s", message("m", tool)), session("t", "nothing else")])
    for query in ("capstan", "windlass"):
        response = ask(index, query, match=match)
        assert parts(response) == ["p"]
        assert marked(response.results[0])[0].lower() == query
        assert (response.degrade_kind, response.coverage.parts.not_reached) == ("none", 0)


@pytest.mark.parametrize("query", ["nGANGw", "angwayCre", "gnatureErr"])
def test_the_inside_of_a_word_is_found_beside_other_hits(query: str) -> None:
    """W9: it was only found where nothing else was."""
    said = "onGangwayCreaks and SignatureError"
    index = texts(said, f"{query} alone", "other")
    assert found(index, query) == {"s.0.1", "s.1.1"}


def test_two_letters_swapped_are_one_mistake() -> None:
    """W8."""
    index = texts("the timezone is UTC", "nothing")
    for query in ("timeznoe", "itmezone", "timezoen"):
        for match in ("smart", "fuzzy"):
            response = ask(index, query, match=match)
            assert parts(response) == ["s.0.1"]
            assert list(response.results[0].matched_terms) == [query]
    short = texts("mast", "nothing")  # four letters: one edit is all that is allowed
    assert found(short, "mats") == {"s.0.1"}


# --- scores and snippets --------------------------------------------------------------------------------------


def test_scores_leave_room_at_the_top() -> None:
    """W5: perfect matches all scored 1, so that only their age told them apart."""
    index = Index.build(
        [
            session("s", message("a", "rate limiter", role="assistant", time=NOW),
                    message("u", "rate limiter", role="user", time=NOW - 10)),
            session("t", "a limiter", "the rate"),
        ]
    )  # fmt: skip
    hits = ask(index, "rate limiter").results
    assert hits[0].part_id == "u.1"  # older, but a person's words
    assert len({hit.score for hit in hits}) == len(hits)
    assert all(hit.score < 1 for hit in hits)


def test_a_score_does_not_depend_on_the_best_hit() -> None:
    """W6: scores were shares of the best one's."""
    said = [f"note {n}: the gangway" for n in range(20)]
    others = [session(f"o{n}", f"unrelated words {n}") for n in range(90)]  # one hit more is no commoner word
    plain = Index.build([session("s", *said), session("t", "unrelated words here"), *others])
    better = Index.build([session("s", *said), session("t", "gangway gangway gangway"), *others])
    by_id = {hit.part_id: hit.score for hit in paged(better, "gangway")}
    assert all(by_id[hit.part_id] == pytest.approx(hit.score, rel=0.1) for hit in paged(plain, "gangway"))


@pytest.mark.parametrize("query", ["the a of", "and then it was", "is there a way to do that"])
def test_words_that_stand_everywhere_are_a_worse_answer_than_rare_ones(query: str) -> None:
    said = [f"then the tide of harbour {n} was a way out and it is there to do" for n in range(50)]
    index = Index.build([*(session(f"s{n}", text) for n, text in enumerate(said)), session("r", "caulk the gunwale")])
    sure = ask(index, "caulk the gunwale").answerable
    assert ask(index, query).answerable < min(sure, 0.8)


@pytest.mark.parametrize(
    ("query", "shown"), [("capstna", "capstan"), ("capstans", "capstan"), ("cap-stan", "capstan"), ("Capst", "capstan")]
)
def test_a_snippet_shows_what_matched_however_it_was_written(query: str, shown: str) -> None:
    """W11: a misspelt word was shown by the head of its text."""
    (hit,) = ask(texts("painted hull " * 80 + "the capstan jammed " + "rope and chain " * 80), query).results
    assert shown in hit.snippet
    assert marked(hit) == [shown]


def test_a_title_or_a_directory_is_shown_by_itself() -> None:
    index = Index.build([session("s", "long talk " * 60, title="Capstan overhaul", directory="/srv/windlass")])
    assert ask(index, "capstan").results[0].snippet == "Capstan overhaul"
    (hit,) = ask(index, "windlass").results
    assert list(hit.why.matched_fields) == ["directory"]


@pytest.mark.parametrize("results", [1, 3])
@pytest.mark.parametrize("match", MODES)
def test_snippets_are_made_for_what_is_returned_only(match: str, results: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """W14: one for every hit, in time quadratic in its words."""
    made = []
    real = snippet.passage_matches
    replace_everywhere(monkeypatch, real, lambda *given: made.append(given) or real(*given))
    response = ask(Index.build(ferry(60)), "gangway creaks", match=match, results=results)
    assert len(response.results) == results
    assert len(made) == results


# --- what answers comes first -----------------------------------------------------------------------------------

YARD = (
    ("Draw the plan of the lower deck.", "The plan shows the lower deck with its lockers, the engine and both tanks."),
    ("The bilge alarm is on again.", "A float was stuck. It moves again, and the alarm is quiet."),
    ("List what the chandler delivered.", "Nine shackles, two fenders and a coil of line; the invoice has the prices."),
    ("Make the harbour page load faster.", "The page asks for the tide table once and keeps it for an hour."),
    ("Tidy the logbook.", "The logbook has a page for each week and an index."),
)
LARCH = (
    "We weighed what the hull can be built of. Oak lasts longest and takes a screw well, but nobody in this yard bends"
    " it, and we build one dinghy a year. Larch bends cold, is sawn nearby and needs no steam box, and the crew has"
    " planked two boats with it. So the planking of the dinghy is larch; keel and stem are the ash that is left."
    " Should we ever build ten boats a year, we look at oak again. The list of every plank lies in yard/planks."
)
DACRON = (
    "The sails are dacron, cut by the loft in the old fish market and good for ten seasons. The reasoning: the cruiser"
    " and the training boat both carry the same rig, a laminate would have to be kept dry, and the loft can mend a seam"
    " without the measurements of the ship. The storm sails stay in the locker. Battens are numbered before they go"
    " aboard, and the reefing line is led to the cockpit."
)


def turns(key: str, days: int, *said: str) -> Session:
    """A person and an agent in turn, so many days ago."""
    messages = (
        message(f"{key}.{n}", text, role=("user", "assistant")[n % 2], time=NOW - days * DAY_MS + n)
        for n, text in enumerate(said)
    )
    return session(key, *messages)


def sessions_of(query: str, *history: Session) -> list[str]:
    index = Index.build([*history, *(turns(f"yard{n}", n + 6, *said) for n, said in enumerate(YARD))])
    return [result.session_id for result in ask(index, query, group="session").results]


@pytest.mark.parametrize(
    "query", ["why was larch chosen over oak for the planking of the dinghy", "larch oak dinghy planking"]
)
def test_the_long_answer_that_decides_comes_before_a_short_mention(query: str) -> None:
    decides = turns("decides", 12, "What shall we build the boats of?", LARCH)
    mentions = turns("mentions", 1, "Larch or oak, and which larch?", "It is written where the planks are.")
    assert sessions_of(query, decides, mentions)[0] == "decides"


@pytest.mark.parametrize(
    "query", ["why did we go with dacron", "why we went with dacron, what was the reasoning", "dacron reasoning"]
)
def test_a_verb_that_carries_the_question_finds_no_go_ahead_first(query: str) -> None:
    decides = turns("decides", 12, "Choose what the new sails are made of.", DACRON)
    ahead = turns("ahead", 2, "Shall the buoys be round?", "Yes, as before. Shall I order them?", "Yes, go ahead.")
    then = turns("then", 1, "Paint the boathouse.", "It takes two tins.", "Go on then.")
    assert sessions_of(query, decides, ahead, then)[0] == "decides"


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("always end rope labels with '_k'", "k"),
        ("always end rope labels with '_m'", "m"),
        ("chart labels end with '_on'", "on"),
        ("_k", "k"),
    ],
)
def test_an_ending_is_told_from_other_endings(query: str, first: str) -> None:
    history = (
        turns("k", 5, "When you label a rope, let the label end with '_k', please."),
        turns("m", 4, "Let rope labels end with '_m' from now on."),
        turns("z", 3, "Rope labels must always end with '_z', so that always the end of rope labels tells the locker."),
        turns("on", 2, "Chart labels end with '_on' when they hold a date."),
    )
    assert sessions_of(query, *history)[0] == first
