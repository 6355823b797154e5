"""Hostile histories and queries get an answer or a clear error, never a crash."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.corpus import Index
from recall_rank.model import Message, Part, Session
from tests.support.examples import examples
from tests.support.search.samples import NOW, ask, found, message, paged, part, parts, session, texts

MODES = ("literal", "smart", "fuzzy")
ODD_TEXTS = [
    "\ud800", "\udfff\ud800", "a\ud800b", "\0", "a\0b\0", "\x01\x02\x03tool", "\ufffd", "\ufeff", "\u202e", "\u200b",
    "%", "\\", "*", "^$", "'\"", "🏴\U000e0067\U000e007f", "e" + "\u0301" * 300, "a" * 3000, "_" * 3000, "-." * 1500,
    "a_" * 1000, "aB" * 1000, "1" * 3000, "漢" * 3000, "\u1100" * 100, "ﷺ" * 100, "\U0010ffff" * 50, "\x7f\x80\xff",
]  # fmt: skip


@pytest.mark.parametrize("query", ["", "  ", "\n"])
def test_an_empty_query_is_a_clear_error(query: str) -> None:
    with pytest.raises(ValueError, match="the query is empty"):
        texts("a").search(query)


@pytest.mark.parametrize("match", MODES)
@pytest.mark.parametrize("text", ODD_TEXTS, ids=ascii)
def test_odd_queries_and_odd_texts(text: str, match: str) -> None:
    index = texts(text, "the lantern", text + " lantern " + text)
    for query in (text, text + " lantern", '"' + text):
        if query.strip():
            response = ask(index, query, match=match, width=20)
            assert response.to_json()
    assert {"s.1.1"} <= found(index, "lantern", match="smart")
    if text.strip():
        assert {"s.0.1", "s.2.1"} <= found(index, text, match=match)


@pytest.mark.parametrize("text", ODD_TEXTS, ids=ascii)
def test_odd_names_and_titles(text: str) -> None:
    odd = Session(
        text, (Message(text, "user", NOW, (Part(text, text, text="lantern", tool=text, title=text),), author=text),),
        title=text, directory=text, project=text, worktree=text, source=text, agent=text,
    )  # fmt: skip
    response = ask(Index.build([odd]), "lantern", explain=True)
    assert [hit.session_id for hit in response.results if hit.source != "title"] == [text]
    assert response.to_json()
    for options in ({"session_id": text}, {"title": text}, {"directory": text}, {"must": [text]}, {"tool_name": text}):
        ask(Index.build([odd]), "lantern", **options)


@examples(60)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=4), st.text(min_size=1, max_size=20), st.sampled_from(MODES))
def test_any_text_and_any_query(contents: list[str], query: str, match: str) -> None:
    if query.strip():
        assert ask(texts(*contents), query, match=match, explain=True).to_json()


@pytest.mark.parametrize("match", MODES)
def test_a_line_of_a_megabyte(match: str) -> None:
    index = texts("a" * 500_000 + " lantern " + "b" * 500_000, "x" * 1_000_000)
    assert parts(ask(index, "lantern", match=match)) == ["s.0.1"]


@pytest.mark.slow
def test_a_part_of_a_hundred_thousand_words() -> None:
    index = texts(" ".join(f"word{n}" for n in range(100_000)) + " lantern")
    response = ask(index, "lantern word99999")
    assert parts(response) == ["s.0.1"]
    assert {"lantern", "word", "99999"} == set(response.results[0].matched_terms)
    assert found(index, "word50000", match="literal") == {"s.0.1"}


def test_a_query_of_many_words() -> None:
    index = texts("the lantern and the wick")
    assert found(index, "lantern " * 500) == {"s.0.1"}
    assert found(index, " ".join(f"zq{a}{b}" for a in "jkvwxz" for b in "bcdfghjklm") + " wick") == {"s.0.1"}


@pytest.mark.parametrize(
    "sessions",
    [
        pytest.param([], id="none at all"),
        pytest.param([Session("s")], id="a session with nothing"),
        pytest.param([Session("s", title="Lantern", directory="/a")], id="a title without messages"),
        pytest.param([session("s", message("m"))], id="a message without parts"),
        pytest.param([session("s", message("m", Part("p", "text")))], id="a part without text"),
        pytest.param([session("s", message("m", Part("p", "text", text="")))], id="a part with an empty text"),
        pytest.param([session("s", message("m", Part("p", "tool")))], id="a tool call without a tool"),
        pytest.param([session("", message("", Part("", "", text="")), title="", directory="")], id="empty names"),
        pytest.param([session("s", message("m", part("p", "?!"))), Session("t")], id="no word in it"),
    ],
)
@pytest.mark.parametrize("match", [*MODES, "regex"])
def test_histories_with_nothing_to_find(sessions: list[Session], match: str) -> None:
    index = Index.build(sessions)
    for options in ({}, {"group": "session"}, {"order": "time"}, {"role": "user"}, {"sessions": 1}, {"must": ["x"]},
                    {"directory": "/a", "fallback": True}, {"since": "1d"}):  # fmt: skip
        response = ask(index, "lantern", match=match, **options)
        assert (list(response.results), response.total, response.truncated) == ([], 0, False)
        for count in (response.coverage.sessions, response.coverage.messages, response.coverage.parts):
            assert count.known == count.eligible + sum(count.skipped.values())
        assert response.to_json()


def test_nothing_can_be_scored_in_an_empty_index() -> None:
    assert len(Index.build([]).scores("lantern")) == 0
    assert all(len(column) <= 1 for column in Index.build([]).columns.values())


def test_ids_may_repeat() -> None:
    twice = [
        session(
            "s", message("m", part("p", "the lantern"), part("p", "a lantern")), message("m", part("p", "lantern"))
        ),
        session("s", message("m", part("p", "lantern of another"))),
    ]
    index = Index.build(twice)
    assert len(paged(index, "lantern", results=2)) == 4
    assert ask(index, "lantern", group="session").total == 2
    assert ask(index, "lantern", session_id="s").coverage.sessions.eligible == 2


@pytest.mark.parametrize("time", [10**18, 2**62, 2**63, 10**30, -1, -(10**30), 253_402_300_800_000])
def test_times_that_no_calendar_has_are_unknown(time: int) -> None:
    index = Index.build(
        [
            Session("s", (message("m", "the lantern", time=time),), title="Lantern", created=time, updated=time),
            session("t", "lantern"),
        ]
    )
    hits = {hit.part_id: hit for hit in ask(index, "lantern in 2025", explain=True).results}
    assert hits["m.1"].time == 0
    assert hits["m.1"].why.recency == "unknown"
    assert "m.1" in found(index, "lantern", until="1d")
    assert "m.1" not in found(index, "lantern", since="90d")
    assert ask(index, "lantern", order="time").to_json()


@pytest.mark.parametrize("time", [253_402_300_799_999, 1, 0])
def test_times_at_the_edge_are_kept(time: int) -> None:
    index = Index.build([session("s", message("m", "the lantern", time=time))])
    assert ask(index, "lantern on 31 December 9999").results[0].time == time


def nested(depth: int, *, mapping: bool) -> Any:
    value: Any = "the lantern"
    for _ in range(depth):
        value = {"k": value} if mapping else [value]
    return value


def unnested(value: Any) -> None:
    """Take such a value apart from the outside: freeing it at once would recurse."""
    while isinstance(value, (list, dict)):
        value = value["k"] if isinstance(value, dict) else value[0]


@pytest.fixture(params=[False, True], ids=["lists", "mappings"])
def deep(request: pytest.FixtureRequest) -> Iterator[Any]:
    value = nested(1_000_000, mapping=request.param)
    yield value
    unnested(value)


@pytest.mark.slow
def test_a_million_levels_of_json(deep: Any) -> None:
    index = Index.build([session("s", message("m", part("p", tool="x", input=deep)))])
    assert found(index, "lantern") == {"p"}
    mapped = {
        "id": "s",
        "messages": [{"id": "m", "role": "user", "parts": [{"id": "p", "type": "tool", "tool": "x", "input": deep}]}],
    }
    assert found(Index.build([mapped]), "lantern", match="literal") == {"p"}


@pytest.mark.parametrize(
    "given_input",
    [None, 0, 1.5, True, float("nan"), [], {}, [None], {"command": None}, {"command": 5}, {1: "lantern"}, b"lantern"],
)
def test_inputs_of_any_json_type(given_input: Any) -> None:
    index = Index.build([session("s", message("m", part("p", "lantern", tool="x", input=given_input)))])
    assert found(index, "lantern") == {"p"}


def test_fields_that_are_none_in_a_mapping_are_absent() -> None:
    names = [name for name in Session.__slots__ if name not in ("id", "messages")]
    inner = {name: None for name in Part.__slots__ if name not in ("id", "type", "text")}
    outer = {name: None for name in Message.__slots__ if name not in ("id", "role", "parts")}
    said = {"id": "p", "type": "text", "text": "the lantern", **inner}
    index = Index.build(
        [{"id": "s", "messages": [{"id": "m", "role": "user", "parts": [said], **outer}], **dict.fromkeys(names)}]
    )
    hit = ask(index, "lantern").results[0]
    assert (hit.part_id, hit.session_title, hit.directory, hit.time) == ("p", "", "", 0)
    assert found(Index.build([{"id": "s", "messages": None}]), "lantern") == set()


@pytest.mark.parametrize("role", ["tool", "system", "developer", "function"])
def test_roles_of_other_agents(role: str) -> None:
    index = Index.build([session("s", message("m", "the lantern", role=role))])
    assert found(index, "lantern") == {"m.1"}
    assert found(index, "lantern", role="user") == set()
    assert ask(index, "lantern").results[0].role in ("tool", "system")


@pytest.mark.slow
def test_many_sessions_messages_and_fields() -> None:
    wide = part("p", tool="x", input=[f"lantern{n}" for n in range(20_000)])
    index = Index.build([session("s", message("m", wide, *(part(f"q{n}", "wick") for n in range(2000))))])
    assert found(index, "lantern19999", match="literal") == {"p"}
    assert len(found(index, "wick", results=1000)) == 2000
