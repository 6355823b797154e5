"""Hits that say the same take one place among the results, and the result names the others."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given

from recall_rank import Index, Message, Part, Session
from recall_rank.model import Role, SearchResponse
from tests.support.kernels.inputs import seeds
from tests.support.search.samples import ENOUGH_MS, NOW

ITEMS = ("grease the lens", "wind the clockwork", "trim the wick", "polish the brass", "log the ships at dusk")
LIST = [f"{{'content': '{item} of the lamp', 'status': '%s', 'id': {at}}}" for at, item in enumerate(ITEMS)]
FILE = "".join(
    f"def step_{at}(lamp, keeper):\n    lamp.{verb}(keeper.hands, at='{at} bells')\n    return lamp.clockwork\n"
    for at, verb in enumerate(("grease", "wind", "trim", "polish", "log", "douse", "cover", "lock"))
)
PLAN = "First we wind the clockwork by hand, then we measure how long the lens turns, and write it into the log."
ANSWER = "The clockwork stops because the governor is dry: a drop of oil at every watch keeps the lens turning evenly."
HOUR = 3_600_000


def todo(*done: int) -> str:
    return "\n".join(item % ("completed" if at in done else "pending") for at, item in enumerate(LIST))


def tool(name: str, given: str = "", output: str = "") -> Part:
    return Part("", "tool", tool=name, input={"text": given} if given else None, output=output or None)


def session(key: str, *said: tuple[Role, Part | str], agent: str = "quill", age: int = 0) -> Session:
    messages = []
    for at, (role, part) in enumerate(said):
        kind, text, made = "text", part, {}
        if isinstance(part, Part):
            kind, text = part.type, part.text
            made = {"tool": part.tool, "input": part.input, "output": part.output}
        own = Part(f"{key}-p{at}", kind, text, **made)
        messages.append(Message(f"{key}-m{at}", role, NOW - age + at * 1000, (own,)))
    return Session(key, tuple(messages), f"Title {key}", updated=NOW - age, source="store", agent=agent)


def found(*sessions: Session, query: str = "clockwork", **options: Any) -> SearchResponse:
    given: Any = {"now": NOW, "budget_ms": ENOUGH_MS, **options}
    return Index.build(sessions).search(query, **given)


def shown(response: SearchResponse) -> list[tuple[str, list[str]]]:
    return [(hit.part_id, sorted(copy.part_id for copy in hit.also_in)) for hit in response.results]


def reasoning(text: str) -> Part:
    return Part("", "reasoning", text)


@pytest.mark.parametrize(
    "said",
    [
        pytest.param([tool("todowrite", todo()), tool("todowrite", todo(0)), tool("todowrite", todo(0))], id="a list"),
        pytest.param([tool("read", "lamp.py", FILE), tool("read", "lamp.py", FILE + "# end\n")], id="a file"),
        pytest.param([tool("write", FILE), tool("read", output=FILE)], id="written and read"),
        pytest.param([ANSWER, ANSWER, ANSWER], id="prose"),
    ],
)
@pytest.mark.parametrize("match", ["smart", "fuzzy", "literal"])
def test_what_says_the_same_is_one_result(said: list[Part | str], match: str) -> None:
    talk = session("s1", *(("assistant", part) for part in said))
    response = found(talk, match=match)
    (hit,) = response.results
    assert len(hit.also_in) == len(said) - 1
    assert {copy.session_id for copy in hit.also_in} == {"s1"}
    assert (response.total, response.truncated) == (1, False)
    every = found(talk, match=match, fold=False)
    assert (every.total, len(every.results)) == (len(said), len(said))
    assert not any(hit.also_in for hit in every.results)
    assert hit.part_id == every.results[0].part_id


def test_a_turn_in_two_copies_of_a_session_is_one_result_and_they_remain_two_sessions() -> None:
    copies = [session(key, ("user", PLAN), ("assistant", ANSWER), age=age) for key, age in (("s1", HOUR), ("s2", 0))]
    assert sorted(shown(found(*copies))) == [("s2-p0", ["s1-p0"]), ("s2-p1", ["s1-p1"])]
    grouped = found(*copies, group="session")
    assert ({hit.session_id for hit in grouped.results}, grouped.total) == ({"s1", "s2"}, 2)
    assert not any(hit.also_in for hit in grouped.results)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(("user", ANSWER), ("assistant", ANSWER), id="other roles"),
        pytest.param(("assistant", tool("read", output=ANSWER)), ("assistant", ANSWER), id="a tool and prose"),
        pytest.param(("user", PLAN * 9), ("user", PLAN * 9 + " Status?"), id="prompts with other ends"),
        pytest.param(("user", "wind the clockwork"), ("user", "wind the clockwork"), id="few words"),
        pytest.param(("assistant", ANSWER), ("assistant", f"{ANSWER} {PLAN}"), id="more words"),
    ],
)
def test_anything_else_remains_two_results(one: tuple[Role, Any], other: tuple[Role, Any]) -> None:
    assert shown(found(session("s1", one, other))) in (
        [("s1-p0", []), ("s1-p1", [])], [("s1-p1", []), ("s1-p0", [])],
    )  # fmt: skip


def test_two_agents_that_said_the_same_remain_two_results() -> None:
    response = found(session("s1", ("assistant", ANSWER)), session("s2", ("assistant", ANSWER), agent="codex"))
    assert sorted(shown(response)) == [("s1-p0", []), ("s2-p0", [])]


@pytest.mark.parametrize(("query", "results"), [("clockwork", 1), ("clockwork error E117", 2), ("clockwork E118", 2)])
def test_what_differs_in_a_word_of_the_query_remains_two_results(query: str, results: int) -> None:
    runs = [tool("bash", "make test", f"{FILE}\nerror E{number} in the clockwork") for number in (117, 118)]
    response = found(session("s1", *(("assistant", run) for run in runs)), query=query)
    assert len(response.results) == results


def test_a_pattern_folds_nothing_that_is_alike() -> None:
    pytest.importorskip("re2")
    runs = [tool("bash", "make test", f"{FILE}\nerror {number} in the clockwork") for number in (117, 118)]
    talk = session("s1", *(("assistant", run) for run in runs))
    assert len(found(talk, query=r"error \d+", match="regex").results) == 2


def test_files_of_two_sessions_that_differ_remain_two_results() -> None:
    reads = [
        tool("read", "lamp.py", FILE + more) for more in ("", "def step_9(lamp, keeper):\n    return lamp.shine\n")
    ]
    assert len(found(session("s1", *(("assistant", read) for read in reads))).results) == 1
    assert len(found(*(session(f"s{at}", ("assistant", read)) for at, read in enumerate(reads))).results) == 2


def test_prose_is_shown_before_the_reasoning_that_it_repeats() -> None:
    talk = session("s1", ("assistant", ANSWER), ("assistant", reasoning(ANSWER)))
    every = found(talk, fold=False)
    (hit,) = found(talk).results
    assert (hit.part_id, hit.part_type) == ("s1-p0", "text")
    assert [copy.part_id for copy in hit.also_in] == ["s1-p1"]
    assert hit.score == max(one.score for one in every.results)


def test_one_text_that_was_said_a_hundred_times_does_not_hide_others() -> None:
    crowd = [session(f"c{at}", ("assistant", "clockwork " * 3 + ANSWER), age=at) for at in range(70)]
    others = [
        session(f"o{at}", ("assistant", f"{PLAN} {' '.join(f'w{at}x{k}' for k in range(20))}")) for at in range(9)
    ]
    for offset in (0, 5):
        response = found(*crowd, *others, results=5, offset=offset)
        assert len({hit.snippet for hit in response.results}) == 5
        assert {hit.stage for hit in response.results} == {"score"}
        assert response.total == 10


def test_every_page_folds_the_same_hits() -> None:
    words = [f"{ANSWER} {' '.join(f'w{at % 25}x{k}' for k in range(30))}" for at in range(75)]
    index = Index.build([session(f"s{at}", ("assistant", text), age=at) for at, text in enumerate(words)])
    for size in (4, 10, 30):
        pages = [
            index.search("clockwork governor", now=NOW, budget_ms=ENOUGH_MS, results=size, offset=offset)
            for offset in range(0, 80, size)
        ]
        parts = [hit.part_id for page in pages for hit in page.results]
        folded = [copy.part_id for page in pages for hit in page.results for copy in hit.also_in]
        assert {page.total for page in pages} == {len(parts)} == {len(set(parts))}
        assert not set(parts) & set(folded)
        assert len(parts) + len(folded) == 75


WORDS = "lantern wick harbor quay gull pump valve brass rope anchor keel mast sail tide buoy reef".split()


def every_page(index: Index, query: str, results: int, **options: Any) -> tuple[list[str], list[str], int]:
    """Return the parts that the pages of a search show, those that are folded into these, and the last total."""
    own: list[str] = []
    folded: list[str] = []
    while True:
        page = index.search(query, results=results, offset=len(own), now=NOW, budget_ms=ENOUGH_MS, **options)
        own += [hit.part_id for hit in page.results]
        folded += [copy.part_id for hit in page.results for copy in hit.also_in]
        if not page.truncated or not page.results:
            return own, folded, page.total


@given(seeds)
def test_every_hit_is_shown_once_or_folded_once(chance: Random) -> None:
    texts = [" ".join(chance.choices(WORDS, k=chance.choice([3, 9, 12, 40]))) for _ in range(chance.randint(1, 4))]
    sessions = []
    for number in range(chance.randint(1, 4)):
        said: list[tuple[Role, Part | str]] = []
        for _ in range(chance.randint(1, 10)):
            words = chance.choice(texts).split()
            if chance.random() < 0.3:
                words[chance.randrange(len(words))] = chance.choice(WORDS)
            text = " ".join(words)
            part = tool("bash", output=text) if chance.random() < 0.5 else text
            said.append((chance.choice(("user", "assistant")), part))
        sessions.append(session(f"s{number}", *said))
    index = Index.build(sessions)
    query = " ".join(chance.choices(WORDS, k=chance.randint(1, 3)))
    results, match = chance.choice([1, 3, 10]), chance.choice(["smart", "literal", "fuzzy", "fuzzy"])
    own, folded, total = every_page(index, query, results, match=match)
    each, none, _ = every_page(index, query, results, match=match, fold=False)
    assert not none
    assert len(own) == len(set(own)) == total
    assert sorted([*own, *folded]) == sorted(each)
