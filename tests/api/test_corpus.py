"""Index and rank: records or mappings in, answers out, from any number of threads."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from recall_rank.corpus import Index, rank
from recall_rank.model import Flag, Message, Part, SearchResponse, Session
from recall_rank.model.coerce import session_from
from tests.support.search.samples import NOW, ask, message, part, parts, session, texts

RECORD = Session(
    "s",
    (
        Message("m", "user", NOW, (Part("p", "text", text="the lantern"),), author="Odile"),
        Message(
            "n", "assistant", NOW + 1,
            (Part("q", "tool", tool="bash", input={"command": "ls", "a": ["oil"]}, output="wick", flags=Flag.PRUNED),),
            flags=Flag.SUBAGENT,
        ),
    ),
    title="Lantern", directory="/srv", project="harbor", updated=NOW, source="opencode", flags=Flag.ARCHIVED,
)  # fmt: skip
MAPPING: dict[str, Any] = {
    "id": "s", "title": "Lantern", "directory": "/srv", "project": "harbor", "updated": NOW, "source": "opencode",
    "flags": 32, "worktree": None,
    "messages": [
        {"id": "m", "role": "user", "time": NOW, "author": "Odile", "parts": [
            {"id": "p", "type": "text", "text": "the lantern"}]},
        {"id": "n", "role": "assistant", "time": NOW + 1, "flags": 2, "parts": [
            {"id": "q", "type": "tool", "tool": "bash", "input": {"command": "ls", "a": ["oil"]}, "output": "wick",
             "flags": 16, "text": None}]},
    ],
}  # fmt: skip


def answer(response: SearchResponse) -> dict[str, Any]:
    """All of an answer but how long it took."""
    told = response.to_dict()
    del told["elapsed_ms"], told["cpu_ms"]
    return told


def test_mappings_are_records() -> None:
    assert session_from(MAPPING) == RECORD
    assert session_from(RECORD) is RECORD
    mixed = {
        **MAPPING,
        "messages": [RECORD.messages[0], {**MAPPING["messages"][1], "parts": list(RECORD.messages[1].parts)}],
    }
    assert session_from(mixed) == RECORD


@pytest.mark.parametrize("query", ["lantern", "wick", "oil", "odile", "bash"])
def test_mappings_give_the_same_answers(query: str) -> None:
    assert answer(ask(Index.build([MAPPING]), query)) == answer(ask(Index.build([RECORD]), query))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (5, "Session must be a record or a mapping, not int|a record or a mapping is needed, not int"),
        ("s", "not str"),
        (None, "not NoneType"),
        ({}, "Session needs a string 'id', not None"),
        ({"id": 5}, "Session needs a string 'id', not 5"),
        ({"id": "s", "messages": [5]}, "not int"),
        ({"id": "s", "messages": [{"id": "m"}]}, "Message needs a string 'role', not None"),
        ({"id": "s", "messages": [{"id": "m", "role": "user", "parts": [{"id": "p"}]}]}, "Part needs a string 'type'"),
        (
            {"id": "s", "messages": [{"id": "m", "role": "user", "parts": ["words"]}]},
            "Part must be a record or a mapping",
        ),
    ],
)
def test_what_is_no_record_is_refused(value: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        Index.build([value])


def test_rank_is_one_shot() -> None:
    sessions = [RECORD, session("t", "a lantern")]
    assert answer(rank("lantern", sessions, now=NOW)) == answer(ask(Index.build(sessions), "lantern", budget_ms=2000.0))


@pytest.mark.parametrize(
    ("values", "words"), [(None, "None"), (5, "5"), ("s", "'s'"), (MAPPING, "one alone"), (RECORD, "one alone")]
)
def test_what_are_no_sessions_is_refused(values: Any, words: str) -> None:
    with pytest.raises(TypeError, match=f"sessions must be an iterable of sessions, not {words}"):
        rank("lantern", values)


@pytest.mark.parametrize("value", ["2026", float("nan"), float("inf"), True, [1]])
@pytest.mark.parametrize("name", ["created", "updated", "time"])
def test_what_is_no_time_is_refused(name: str, value: Any) -> None:
    at_message = {"id": "m", "role": "user", "time": value}
    with pytest.raises(TypeError, match=f"needs milliseconds since 1970 as '{name}', not "):
        Index.build([{"id": "s", "messages": [at_message]} if name == "time" else {"id": "s", name: value}])


def test_times_may_have_a_fraction() -> None:
    made = session_from(
        {"id": "s", "created": 1780000000000.75, "messages": [{"id": "m", "role": "user", "time": 2.5}]}
    )
    assert (made.created, made.messages[0].time) == (1780000000000, 2)


def test_sessions_may_come_from_a_generator() -> None:
    assert len(Index.build(session(f"s{n}", "x", "y") for n in range(3))) == 6


def test_an_unknown_option_is_refused_with_those_that_are_accepted() -> None:
    with pytest.raises(TypeError, match=r"unknown option limit, modes; accepted are .*\bresults\b"):
        texts("a").search("a", limit=5, modes="x")


def test_now_is_the_clock_s_when_not_given() -> None:
    index = Index.build([session("s", message("m", "lantern", time=NOW - 10**9))])
    assert index.search("lantern").results[0].why.recency in ("recent", "older")


def test_the_same_question_gives_the_same_answer_again_and_from_other_threads() -> None:
    index = Index.build(
        [session(f"s{n}", *(f"lantern wick {n} {k} oil" for k in range(6)), title="Lantern") for n in range(40)]
    )
    questions = [
        {"query": query, "match": match, "group": group, "results": 30}
        for query in ("lantern wick", "lantren oil 3", "ntern wi")
        for match in ("literal", "smart", "fuzzy")
        for group in ("part", "session")
    ]
    before = [answer(ask(index, **question)) for question in questions]
    assert [answer(ask(index, **question)) for question in questions] == before
    with ThreadPoolExecutor(4) as pool:
        rounds = list(pool.map(lambda question: answer(ask(index, **question)), questions * 4))
    assert rounds == before * 4


def test_searching_while_others_build() -> None:
    index = texts("the lantern", "a wick")
    stop = threading.Event()

    def build() -> None:
        while not stop.is_set():
            Index.build([session("other", "lantern " * 200)])

    worker = threading.Thread(target=build)
    worker.start()
    try:
        assert all(parts(ask(index, "lantern")) == ["s.0.1"] for _ in range(200))
    finally:
        stop.set()
        worker.join()


def test_asearch_answers_like_search() -> None:
    index = texts("the lantern", "a wick")
    response = asyncio.run(index.asearch("lantern", now=NOW))
    assert answer(response) == answer(index.search("lantern", now=NOW))


@pytest.mark.parametrize("given", [{}, {"cancel": None}])
def test_cancelling_the_task_cancels_the_search(given: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    started, ended = threading.Event(), threading.Event()

    def slow(self: Index, query: str, **options: Any) -> None:
        seen.append(options["cancel"])
        started.set()
        options["cancel"].wait(20)
        ended.set()

    monkeypatch.setattr(Index, "search", slow)

    async def scenario() -> None:
        task = asyncio.ensure_future(texts("a").asearch("a", **given))
        await asyncio.to_thread(started.wait, 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
    assert seen[0].is_set()
    assert ended.wait(20)


def test_scores_are_those_of_every_part() -> None:
    index = Index.build([session("s", "the lantern", "a wick", "lantern wick"), session("t", "nothing")])
    scores = index.scores("lantern wick", now=NOW)
    names = [index._reader.part_ids[row] for row in range(len(scores))]
    assert scores.dtype == np.float32
    assert {name for name, value in zip(names, scores, strict=True) if value > 0} == {"s.0.1", "s.1.1", "s.2.1"}
    assert names[int(scores.argmax())] == "s.2.1"
    assert not index.scores("lantern", now=NOW, session_id="t").any()


@pytest.mark.parametrize(("match", "query"), [("literal", "the lantern"), ("regex", "the lan.ern")])
def test_scores_of_parts_whose_text_does_not_match_are_0(match: str, query: str) -> None:
    if match == "regex":
        pytest.importorskip("regex")
    index = Index.build([session("s", "the lantern", *[f"a lantern of the harbour {n}" for n in range(50)])])
    found = index.search(query, match=match, now=NOW)
    scores = index.scores(query, match=match, now=NOW)
    assert [index.part_ids[row] for row in scores.nonzero()[0].tolist()] == [found.results[0].part_id]
    assert index.scores("the lantern", now=NOW).astype(bool).sum() > 50


def test_scores_heed_the_caller_that_cancels() -> None:
    index = Index.build([session("s", "the lantern")])
    cancelled = threading.Event()
    assert index.scores("the lantern", match="literal", now=NOW, cancel=cancelled).any()
    cancelled.set()
    assert not index.scores("the lantern", match="literal", now=NOW, cancel=cancelled).any()


def test_columns_are_views_of_the_index() -> None:
    index = Index.build([RECORD])
    columns = index.columns
    assert len(columns["part_message"]) == 3  # the title's, and two
    assert columns["message_time"].tolist() == [NOW + 1, NOW, NOW + 1]
    assert all(name.split("_")[0] in ("part", "message", "doc") for name in columns)


def test_an_index_counts_its_parts_and_closes() -> None:
    index = Index.build([RECORD, session("t")])
    assert len(index) == 2
    index.close()


def test_an_index_does_not_keep_the_records() -> None:
    words = [part("p", "lantern")]
    index = Index.build([session("s", message("m", *words))])
    words.clear()
    assert parts(ask(index, "lantern")) == ["p"]


def test_an_index_is_not_made_from_sessions_by_its_class() -> None:
    with pytest.raises(TypeError, match=r"^Index\.build\(sessions\) makes an index"):
        Index([])  # type: ignore[arg-type]
