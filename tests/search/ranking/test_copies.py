"""A conversation that two stores hold is one result, with the places of its copies, in the agent's own store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recall_rank import Index, Message, Part, Session
from recall_rank.loaders import open_source, read_all
from recall_rank.model import Role, SearchResponse
from tests.support.frontends.harbor import tools
from tests.support.search.samples import ENOUGH_MS, NOW

ASKED = "Why does the fog horn fire twice at dusk when the lens motor stalls?"
ANSWERED = "The debounce of the fog horn is too short: the relay of the lens motor bounces for forty milliseconds."
MORE = "Then please make the debounce of the horn long enough for the worst relay that we have in store."
OTHER = "The tide table of the harbour lists no keel that is deeper than the quay at low water in spring."
Said = tuple[Role, str]
HOUR = 3_600_000
TALK: tuple[Said, ...] = (("user", ASKED), ("assistant", ANSWERED), ("user", MORE))


def told(key: str, source: str, talk: Sequence[Said] = TALK, *, agent: str = "quill", now: int = NOW) -> Session:
    messages = tuple(
        Message(f"{key}-m{at}", role, now - 10_000 + at * 1000, (Part(f"{key}-p{at}", "text", text),))
        for at, (role, text) in enumerate(talk)
    )
    return Session(key, messages, f"Title of {key}", updated=now, source=source, agent=agent)


def found(sessions: Sequence[Session], query: str = "fog horn debounce", **options: Any) -> SearchResponse:
    given: Any = {"now": NOW, "budget_ms": ENOUGH_MS, **options}
    return Index.build(sessions).search(query, **given)


def places(response: SearchResponse) -> list[tuple[str, list[tuple[str, str, str, str]]]]:
    return [
        (hit.part_id, [(copy.source, copy.session_id, copy.message_id, copy.part_id) for copy in hit.also_in])
        for hit in response.results
    ]


def case(number: int) -> str:
    """Return words that no other number has, enough to tell one talk from another."""
    return " ".join(f"case{number}x{at}" for at in range(12))


OWN = told("s1", "quill")
EXPORT = told("page", "specstory")


@pytest.mark.parametrize("sessions", [(OWN, EXPORT), (EXPORT, OWN)], ids=["own first", "export first"])
@pytest.mark.parametrize("match", ["smart", "fuzzy", "literal", "regex"])
def test_a_copy_in_another_store_is_folded_into_that_of_the_agent(sessions: Sequence[Session], match: str) -> None:
    response = found(sessions, "debounce", match=match)
    assert sorted(places(response)) == [
        ("s1-p1", [("specstory", "page", "page-m1", "page-p1")]),
        ("s1-p2", [("specstory", "page", "page-m2", "page-p2")]),
    ]
    assert (response.total, response.truncated) == (2, False)


def test_blanks_and_line_ends_make_no_difference() -> None:
    wrapped = tuple((role, text.replace(" the ", "\n  the ")) for role, text in TALK)
    assert [len(hit.also_in) for hit in found([OWN, told("page", "specstory", wrapped)]).results] == [1, 1, 1]


def test_the_store_that_is_not_the_agents_stays_when_it_is_alone_or_richer() -> None:
    pages = told("one", "archive", (*TALK, ("assistant", OTHER))), told("two", "specstory")
    assert {hit.history for hit in found(pages).results} == {"archive"}  # it has more messages


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (told("page", "specstory", [("user", "debounce the horn"), *TALK[1:2]]), "few words"),
        (told("page", "specstory", [("assistant", ASKED), ("user", ANSWERED), ("assistant", MORE)]), "other roles"),
        (told("page", "specstory", [(role, f"{text} {OTHER}") for role, text in TALK]), "other words"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_anything_else_remains_two_results(other: Session, why: str) -> None:
    short = told("s1", "quill", [("user", "debounce the horn"), ("assistant", OTHER)]) if why == "few words" else OWN
    response = found([short, other], "debounce horn")
    assert not any(hit.also_in for hit in response.results), why
    assert len({hit.session_id for hit in response.results}) == 2


def test_one_prompt_given_to_two_agents_stays_two_results() -> None:
    others = told("c1", "archive", [("user", ASKED), ("assistant", OTHER)], agent="codex", now=NOW - HOUR)
    response = found([OWN, others], ASKED)
    assert not any(hit.also_in for hit in response.results)
    assert {hit.session_id for hit in response.results[:2]} == {"s1", "c1"}


def test_two_agents_that_answered_in_equal_words_stay_two_results() -> None:
    others = told("c1", "codex", agent="codex", now=NOW - HOUR)
    assert not any(hit.also_in for hit in found([OWN, others]).results)


@pytest.mark.parametrize(("apart", "folded"), [(0, 1), (60_000, 0)])
def test_a_single_message_is_a_copy_when_it_was_said_at_one_time(apart: int, folded: int) -> None:
    one, other = told("s1", "quill", TALK[:1]), told("page", "specstory", TALK[:1])
    (message,) = other.messages
    other = replace(other, messages=(replace(message, time=message.time + apart),))
    assert sum(len(hit.also_in) for hit in found([one, other], group="session").results) == folded


def test_three_stores_are_one_result() -> None:
    response = found([OWN, EXPORT, told("again", "backup")], "debounce relay")
    assert [len(hit.also_in) for hit in response.results] == [2, 2]
    assert [copy.source for copy in response.results[0].also_in] == ["backup", "specstory"]


def test_pages_follow_each_other() -> None:
    sessions = [
        told(
            f"{store}{number}",
            store,
            [(role, f"{text} {case(number)}") for role, text in TALK],
            now=NOW - number * HOUR,
        )
        for number in range(20)
        for store in ("quill", "specstory")
    ]
    index = Index.build(sessions)
    for size in (3, 10, 50):
        pages = [
            index.search("fog horn", now=NOW, budget_ms=ENOUGH_MS, results=size, offset=offset)
            for offset in range(0, 120, size)
        ]
        shown = [hit.part_id for page in pages for hit in page.results]
        copies = [copy.part_id for page in pages for hit in page.results for copy in hit.also_in]
        assert len({page.total for page in pages}) == 1
        assert len(shown) == len(set(shown)) == pages[0].total
        assert set(shown) | set(copies) == {f"{each.id}-p{at}" for each in sessions for at in range(3)}
        assert not set(shown) & set(copies)
        for page, offset in zip(pages, range(0, 120, size), strict=True):
            assert page.truncated == (offset + size < page.total)
        assert all(hit.also_in for hit in pages[0].results[: size // 2])


def test_sessions_are_folded_too() -> None:
    response = found([OWN, EXPORT, told("s3", "quill", [("user", "Another fog horn")])], group="session")
    assert [(hit.session_id, [copy.session_id for copy in hit.also_in]) for hit in response.results] == [
        ("s1", ["page"]), ("s3", []),
    ]  # fmt: skip
    assert response.total == 2


def test_in_order_of_time_every_hit_stands_for_itself() -> None:
    response = found([OWN, EXPORT], "debounce", order="time")
    assert (len(response.results), response.total) == (4, 4)
    assert not any(hit.also_in for hit in response.results)


def test_what_a_filter_leaves_out_is_no_copy() -> None:
    response = found([OWN, EXPORT], session_id="s1")
    assert not any(hit.also_in for hit in response.results)


def test_segments_make_no_difference(tmp_path: Path) -> None:
    memory = places(found([OWN, EXPORT]))
    Index.build([OWN, EXPORT]).save(tmp_path)
    with Index.open(tmp_path) as index:
        assert places(index.search("fog horn debounce", now=NOW, budget_ms=ENOUGH_MS)) == memory


def test_the_json_names_the_copies() -> None:
    first, *_ = found([OWN, EXPORT], "debounce relay bounces").to_dict()["results"]
    copy = {"source": "specstory", "session_id": "page", "message_id": "page-m1", "part_id": "page-p1"}
    assert first["also_in"] == [copy]
    assert "also_in" not in found([OWN]).to_dict()["results"][0]


@pytest.mark.parametrize("redact", [False, True])
@pytest.mark.parametrize("wire", ["snake", "camel"])
def test_the_tools_name_the_copies(wire: str, redact: bool) -> None:
    args = {"query": "debounce relay bounces", "match": "smart", "scope": "global"}
    desk = tools(OWN, EXPORT, context=None, redact=redact)
    (first, *_) = desk.call("recall", args, now=NOW, wire=wire)["results"]
    copy = {"source": "specstory", "session_id": "page", "message_id": "page-m1", "part_id": "page-p1"}
    camel = {"source": "specstory", "sessionID": "page", "messageID": "page-m1", "partID": "page-p1"}
    assert first["alsoIn" if wire == "camel" else "also_in"] == [camel if wire == "camel" else copy]


def test_a_page_that_specstory_made_of_a_session_of_another_name_is_folded(tmp_path: Path) -> None:
    page = "\n".join(
        ["<!-- Generated by SpecStory -->", "", "# Fog horn (2026-05-28 20:26Z)", "", "<!-- unknown Session 7 -->", ""]
        + [f"_**{'User' if role == 'user' else 'Agent'}**_\n\n{text}\n\n---\n" for role, text in TALK]
    )
    folder = tmp_path / ".specstory" / "history"
    folder.mkdir(parents=True)
    (folder / "2026-05-28_20-26Z-fog-horn.md").write_text(page, "utf-8")
    pages, _ = read_all([open_source(tmp_path / ".specstory")])
    response = found([OWN, *pages], "debounce relay bounces")
    first = response.results[0]
    assert (first.session_id, [copy.source for copy in first.also_in]) == ("s1", ["specstory"])


@pytest.mark.parametrize("group", ["part", "session"])
@pytest.mark.parametrize("options", [{}, {"role": "user"}, {"before": NOW + 1}])
def test_a_copy_is_no_rival_that_makes_an_answer_less_sure(group: str, options: dict[str, Any]) -> None:
    filler = told("tides", "quill", [("user", OTHER), ("assistant", OTHER)])
    stranger = told("page", "specstory", [(role, text.replace("that", "which")) for role, text in TALK])
    copied = found((OWN, EXPORT, filler), "debounce of the horn", group=group, **options)
    beside = found((OWN, stranger, filler), "debounce of the horn", group=group, **options)
    assert copied.answerable > beside.answerable + 0.05
