"""Properties of every search over every history: order, modes, filters, isolation, and a substring oracle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recall_rank.analysis.fields import searchable_fields
from recall_rank.analysis.normalize import fold
from recall_rank.corpus import Index
from recall_rank.model import Context, Message, Part, Session
from recall_rank.model.project_scope import inside
from tests.support.examples import examples
from tests.support.search.samples import DAY_MS, NOW, ask, found, message, paged, parts, session
from tests.support.search.strategies import histories, query
from tests.support.search.strategies import sessions as any_session

some = examples(60)
modes = st.sampled_from(("literal", "smart", "fuzzy"))
groups = st.sampled_from(("part", "session"))


def answers(index: Index, text: str, **options: Any) -> list[tuple[str, float, str]]:
    """Every hit with its score and what is shown of it."""
    return [(hit.part_id, hit.score, hit.snippet) for hit in paged(index, text, results=200, **options)]


@some
@given(histories(), query, modes, groups, st.sampled_from(("relevance", "time")), st.randoms(use_true_random=False))
def test_the_order_of_sessions_does_not_matter(
    history: list[Session], text: str, match: str, group: str, order: str, dice: Any
) -> None:
    before = answers(Index.build(history), text, match=match, group=group, order=order)
    shuffled = list(history)
    dice.shuffle(shuffled)
    assert answers(Index.build(shuffled), text, match=match, group=group, order=order) == before


@some
@given(histories(), query)
def test_literal_is_in_smart_is_in_fuzzy(history: list[Session], text: str) -> None:
    index = Index.build(history)
    literal, smart, fuzzy = (found(index, text, match=match) for match in ("literal", "smart", "fuzzy"))
    assert literal <= smart <= fuzzy


@some
@given(histories(), query)
def test_literal_hits_are_those_of_a_plain_substring_search(history: list[Session], text: str) -> None:
    def holds(value: str) -> bool:
        return fold(text.replace("\ud800", "\ufffd")) in fold(value.replace("\ud800", "\ufffd"))

    expected = {
        part.id
        for session in history
        for message in session.messages
        for part in message.parts
        if any(holds(value) for _, value in searchable_fields(part))
    }
    expected |= {f"{s.id}:title" for s in history if s.messages and s.title and holds(s.title)}
    results = paged(Index.build(history), text, match="literal")
    # A title that begins the first message is told with that message.
    told = {f"{each.session_id}:title" for each in results if each.title_match is not None}
    assert {*parts(results), *told} == expected
    assert len(expected) - len(results) == len(
        [each for each in results if each.title_match and each.source != "title"]
    )


@some
@given(histories(), query, modes)
def test_an_answer_is_the_same_again(history: list[Session], text: str, match: str) -> None:
    index = Index.build(history)
    assert answers(index, text, match=match) == answers(index, text, match=match)


@some
@given(histories(), query, modes)
def test_mappings_equal_records(history: list[Session], text: str, match: str) -> None:
    mappings = [asdict(each) for each in history]
    assert answers(Index.build(mappings), text, match=match) == answers(Index.build(history), text, match=match)


@some
@given(histories(), any_session("stranger"), query, modes)
def test_a_session_that_does_not_match_changes_no_membership(
    history: list[Session], stranger: Session, text: str, match: str
) -> None:
    together = found(Index.build([*history, stranger]), text, match=match)
    assume(not any(key.startswith("stranger") for key in together))
    assert together == found(Index.build(history), text, match=match)


@some
@given(histories(), query, modes, groups, st.integers(1, 5))
def test_pages_are_stretches_of_one_list(history: list[Session], text: str, match: str, group: str, size: int) -> None:
    index = Index.build(history)
    whole = parts(paged(index, text, results=1000, match=match, group=group))
    by_pages = parts(paged(index, text, results=size, match=match, group=group))
    assert sorted(by_pages) == sorted(whole)
    assert len(set(by_pages)) == len(by_pages)


@some
@given(histories(), query, modes, st.integers(20, 60))
def test_every_result_is_well_formed(history: list[Session], text: str, match: str, width: int) -> None:
    response = ask(Index.build(history), text, match=match, width=width, results=200, explain=True)
    for hit in response.results:
        assert 0 <= hit.score <= 1
        assert sum((hit.explain or {}).values()) == pytest.approx(hit.score, abs=1e-6)
        assert len(hit.snippet) <= width + 6
        for span in hit.spans:
            assert 0 <= span.start < span.end <= len(hit.snippet)
            assert 0 <= span.text_start < span.text_end
    assert response.to_json()


# --- a filter equals searching only what it keeps --------------------------------------------------------

SESSION_FILTERS: list[tuple[dict[str, Any], Callable[[Session], bool]]] = [
    ({"session_id": "s0"}, lambda s: s.id == "s0"),
    ({"scope": "session", "context": Context(session_id="s1")}, lambda s: s.id == "s1"),
    ({"project": "harbor"}, lambda s: s.project == "harbor"),
    ({"scope": "project", "context": Context(project="docs")}, lambda s: s.project == "docs"),
    ({"scope": "project", "context": Context(directory="/a")}, lambda s: inside(s.directory or "", "/a")),
    ({"directory": "/a"}, lambda s: inside(s.directory or "", "/a")),
    ({"title": "LIMIT"}, lambda s: "limit" in fold(s.title or "")),
    ({"exclude_session_ids": ["s0", "s2"]}, lambda s: s.id not in ("s0", "s2")),
    ({"exclude_session_ids": ["s1"], "project": "harbor"}, lambda s: s.id != "s1" and s.project == "harbor"),
]


@some
@given(histories(), query, modes, groups, st.sampled_from(SESSION_FILTERS))
def test_a_session_filter_equals_searching_only_its_sessions(
    history: list[Session], text: str, match: str, group: str, row: tuple[dict[str, Any], Callable[[Session], bool]]
) -> None:
    options, keeps = row
    kept = Index.build([each for each in history if keeps(each)])
    filtered = answers(Index.build(history), text, match=match, group=group, **options)
    assert filtered == answers(kept, text, match=match, group=group)


@pytest.mark.parametrize(
    ("text", "elsewhere"),
    [
        pytest.param("lantern wick", "nothing alike", id="nothing"),
        pytest.param("lantren wick", "the lantrin", id="a nearer misspelling"),
        pytest.param("wrote lantern", "they write", id="an irregular form"),
        pytest.param("logfile lantern", "the log and the file", id="halves"),
        pytest.param("lanternfihs wick", "lanternfish", id="a repair"),
        pytest.param("connect lantern", "it connected", id="a stem"),
        pytest.param("auth lantern", "authentication", id="a longer word"),
        pytest.param("lantern of May 28", "an old note", id="a date"),
    ],
)
def test_nothing_outside_of_what_is_eligible_shows_through(text: str, elsewhere: str) -> None:
    kept = [session("kept", "the lantern is lit", "a lantern and wick", "other words")]
    others = [session("other", message("old", elsewhere, time=NOW - 700 * DAY_MS))]
    for match in ("smart", "fuzzy"):
        filtered = answers(Index.build([*kept, *others]), text, match=match, exclude_session_ids=["other"])
        assert filtered == answers(Index.build(kept), text, match=match)


def test_a_stranger_does_not_change_how_a_word_is_split() -> None:
    history = [session("s", "the log of a filemap")]
    stranger = session("stranger", "a logfile", "a map", "logfile", "map", "logfile", "map")
    assert found(Index.build(history), "logfilemap") == {"s.0.1"}
    assert "s.0.1" in found(Index.build([*history, stranger]), "logfilemap")


def keep_messages(keeps: Callable[[Message], bool]) -> Callable[[Session], Session]:
    return lambda s: replace(s, messages=tuple(message for message in s.messages if keeps(message)))


def keep_parts(keeps: Callable[[Part], bool], title: Callable[[str], bool]) -> Callable[[Session], Session]:
    def kept(session: Session) -> Session:
        messages = tuple(replace(m, parts=tuple(filter(keeps, m.parts))) for m in session.messages)
        return replace(session, messages=messages, title=session.title if title(session.title or "") else None)

    return kept


def says(words: str) -> Callable[[Part], bool]:
    return lambda part: any(words in fold(value) for _, value in searchable_fields(part))


PART_FILTERS: list[tuple[dict[str, Any], Callable[[Session], Session]]] = [
    ({"role": "user"}, keep_messages(lambda m: m.role == "user")),
    ({"role": "assistant"}, keep_messages(lambda m: m.role == "assistant")),
    ({"after": NOW - 6 * DAY_MS}, keep_messages(lambda m: m.time > NOW - 6 * DAY_MS)),
    ({"before": NOW - 1}, keep_messages(lambda m: m.time < NOW - 1)),
    ({"since": "2d", "role": "user"}, keep_messages(lambda m: m.time > NOW - 2 * DAY_MS and m.role == "user")),
    ({"type": "text"}, keep_parts(lambda p: p.type == "text", lambda _: False)),
    ({"type": "tool"}, keep_parts(lambda p: p.type == "tool", lambda _: False)),
    ({"type": "reasoning"}, keep_parts(lambda p: p.type == "reasoning", lambda _: False)),
    ({"tool_name": "bash"}, keep_parts(lambda p: p.tool == "bash", lambda _: False)),
    ({"must": ["limit"]}, keep_parts(says("limit"), lambda t: "limit" in fold(t))),
    ({"must_not": ["limit"]}, keep_parts(lambda p: not says("limit")(p), lambda t: "limit" not in fold(t))),
]


@some
@given(histories(), query, modes, st.sampled_from(PART_FILTERS))
def test_a_filter_finds_what_an_index_of_what_it_keeps_finds(
    history: list[Session], text: str, match: str, row: tuple[dict[str, Any], Callable[[Session], Session]]
) -> None:
    options, kept = row
    filtered = found(Index.build(history), text, match=match, **options)
    assert filtered == found(Index.build([kept(each) for each in history]), text, match=match)
