"""The choice of the hits that are reranked, and the pages they make."""

from __future__ import annotations

from typing import Any

import pytest

from recall_rank.corpus import Index
from recall_rank.model import Kind
from recall_rank.weights import DEFAULT
from tests.support.search.samples import NOW, ask, message, part, parts, session, texts

MANY = DEFAULT.survivors + 30


def test_a_passage_that_holds_the_whole_query_is_reranked_however_common_its_words() -> None:
    # all other parts have more evidence; one part alone holds the query as it was written
    crowd = [
        session(
            f"s{n}",
            message(f"m{n}", part(f"p{n}", "open bay open bay harbour harbour open bay harbour"), role="assistant"),
        )
        for n in range(MANY)
    ]
    text = "harbour " * 9 + "the harbour bay open to all" + " calm" * 60
    held = session("held", message("m", part("p", text), role="assistant", time=NOW - 9))
    index = Index.build([*crowd, held])
    [first, *_] = ask(index, "harbour bay open").results
    assert first.session_id == "held"
    assert first.stage == "score"


@pytest.mark.parametrize("group", ["part", "session"])
@pytest.mark.parametrize("results", [1, 7, 20, 50, MANY])
def test_no_page_mixes_ranked_hits_with_others(group: str, results: int) -> None:
    words = ("lantern wick", "lantern oil and wick", "wick", "a lantern", "oil for the lantern of the harbour wick")
    index = Index.build([session(f"s{n}", words[n % 5], words[n % 3]) for n in range(MANY)])
    total = ask(index, "lantern wick", group=group, fold=False).total
    seen: list[str] = []
    for offset in range(0, total, results):
        page = ask(index, "lantern wick", group=group, results=results, offset=offset, fold=False)
        assert len({hit.stage for hit in page.results}) == 1
        seen += parts(page)
    assert len(seen) == len(set(seen)) == total


@pytest.mark.parametrize("order", ["relevance", "time"])
@pytest.mark.parametrize("group", ["part", "session"])
def test_what_is_shown_is_scored_whatever_the_order(order: str, group: str) -> None:
    index = Index.build([session(f"s{n}", "lantern wick", updated=NOW - n) for n in range(MANY)])
    hits = ask(index, "lantern wick", order=order, group=group, results=5).results
    assert {hit.stage for hit in hits} == {"score"}
    assert all(hit.score > 0 for hit in hits)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what did we discuss about the conversation with the harbour master?", "matter"),
        ("can you tell me the different kinds of rope mentioned throughout?", "rope"),
        ("conversation kinds", "talk"),  # nothing but such words: they are what is asked for
    ],
)
def test_words_about_the_talk_count_for_little_beside_its_matter(question: str, first: str) -> None:
    said: dict[str, Any] = {
        "talk": "we discuss different kinds of conversation",
        "matter": "the harbour master called",
        "rope": "hemp rope frays",
        **{f"filler{n}": "gulls over the quay" for n in range(9)},
    }
    index = Index.build([session(key, text) for key, text in said.items()])
    assert ask(index, question).results[0].session_id == first


def test_an_answer_makes_its_question_worth_more_where_no_tool_is_called() -> None:
    step = message("w.ls", part("w.ls.1", tool="ls", output="sails"))
    kinds = {"chat": (), "work": (step,)}
    index = Index.build(
        [session(kind, f"{kind}: which mooring", "this mooring", *more) for kind, more in kinds.items()]
    )
    scores = {hit.message_id: hit.score for hit in ask(index, "mooring").results}
    assert scores["chat.0"] > scores["work.0"]
    assert scores["chat.1"] == scores["work.1"]


def test_a_question_makes_its_answer_worth_more_only_between_people() -> None:
    said = ("which mooring", "this mooring")
    talk = [
        message(f"talk.{n}", text, author=name)
        for n, (name, text) in enumerate(zip(("Odile", "Bram"), said, strict=True))
    ]
    index = Index.build([session("talk", *talk), session("chat", *said)])
    explained = {hit.message_id: hit.explain or {} for hit in ask(index, "mooring", explain=True).results}
    assert explained["talk.1"]["evidence"] > explained["talk.0"]["evidence"]
    assert explained["chat.1"]["evidence"] < explained["chat.0"]["evidence"]


@pytest.mark.parametrize(
    ("question", "ordered"),
    [
        ("How should I splice the rope?", True),
        ("can you help me with the rope", True),
        ("which rope was spliced?", False),
        ("what did you recommend for the rope?", False),
        ("rope", False),
    ],
)
def test_a_standing_order_is_worth_more_where_a_query_asks_what_to_do(question: str, ordered: bool) -> None:
    said = ("Always show the rope to me.", "Come and show the rope to me.")
    index = Index.build([session(f"s{n}", text) for n, text in enumerate(said)])
    evidence = {hit.session_id: (hit.explain or {})["evidence"] for hit in ask(index, question, explain=True).results}
    assert (evidence["s0"] > 1.2 * evidence["s1"]) is ordered


def test_what_an_agent_says_and_what_people_say_to_each_other_are_no_orders() -> None:
    told = "Always show the rope to me."
    agents = message("agent", told, role="assistant")
    talk = [message("talk.0", told, author="Odile"), message("talk.1", "aye", author="Bram")]
    index = Index.build([session("agent", "aye", agents), session("talk", *talk), session("user", told)])
    segment = index._merged()
    kinds = {segment.doc_class[doc] for doc in range(segment.docs)}
    assert kinds == {Kind.USER, Kind.ASSISTANT, Kind.TALK, Kind.ORDER}


def test_between_people_a_question_counts_for_less_than_what_is_told() -> None:
    said = ("so where is the lantern?", "now there is the lantern.")

    def evidence(*texts: str, people: bool) -> list[float]:
        names = ("Odile", "Bram") if people else (None, None)
        talks = [
            session(f"s{n}", message(f"m{n}.0", text, author=names[0]), message(f"m{n}.1", "aye", author=names[1]))
            for n, text in enumerate(texts)
        ]
        hits = ask(Index.build(talks), "lantern", explain=True).results
        return [(hit.explain or {})["evidence"] for hit in sorted(hits, key=lambda hit: hit.message_id)]

    asked, told = evidence(*said, people=True)
    assert asked < 0.8 * told
    asked, told = evidence(*said, people=False)  # to an agent a question is as good as any word
    assert asked == pytest.approx(told)


def similar(index: Index, query: str) -> dict[str, float]:
    """How like the query rapidfuzz found each part, 0 to 1."""
    hits = {hit.part_id: hit.explain or {} for hit in ask(index, query, explain=True).results}
    return {key: told.get("scorer", 0.0) / told["evidence"] / DEFAULT.scorer for key, told in hits.items()}


def test_the_names_of_a_query_count_by_their_share() -> None:
    index = texts("the old rateLimit holds", "an old rate has a limit")
    assert similar(index, "rateLimit")["s.0.1"] == pytest.approx(1.0)
    assert 0.3 < similar(index, "old rateLimit")["s.0.1"] < 1
    assert similar(index, "the old limit") == {"s.0.1": 0.0, "s.1.1": 0.0}


@pytest.mark.parametrize("query", ["rate-limit", "rate limit", "RATE_LIMIT", "ratelimit"])
def test_a_name_is_found_however_its_words_are_joined(query: str) -> None:
    found = similar(texts("the old rateLimit holds", "a rateLimiter holds"), query)
    assert found["s.0.1"] == pytest.approx(1.0)
    assert found.get("s.1.1", 0.0) == 0


def test_words_that_only_some_documents_join_are_no_name_inside_a_longer_query() -> None:
    index = texts("the old rateLimit holds", "an old rate has a limit")
    assert similar(index, "rate limit")["s.0.1"] == pytest.approx(1.0)
    assert similar(index, "old rate limit")["s.0.1"] == 0


def test_a_query_in_words_is_no_name_where_the_words_stand_as_written() -> None:
    assert similar(texts("the old rateLimit holds"), "rate limit")["s.0.1"] == pytest.approx(1.0)
    index = texts("the old rateLimit holds", "an old rate limit holds")
    assert similar(index, "rate limit") == {"s.0.1": 0.0, "s.1.1": 0.0}
    assert similar(index, "rate_limit")["s.0.1"] == pytest.approx(1.0)


def test_a_name_behind_a_dot_stands_alone_and_a_path_inside_a_longer_one_does_not() -> None:
    index = texts("see this.rateLimit()", "see src/gate/load.py:12", "see /srv/src/gate/load.py:12")
    assert similar(index, "rateLimit")["s.0.1"] == pytest.approx(1.0)
    found = similar(index, "src/gate/load.py")
    assert found["s.1.1"] == pytest.approx(1.0)
    assert found["s.2.1"] == 0


def test_a_misspelt_name_is_nearly_what_was_meant() -> None:
    [found] = similar(texts("the lanternWick"), "lantrenWick").values()
    assert 0.8 < found < 1
