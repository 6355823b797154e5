"""Long texts as queries, such as a pasted trace: searched by their most telling words and line, never refused."""

from __future__ import annotations

from typing import Any

import pytest

from recall_rank.corpus import Index
from recall_rank.frontends.hooks.prompt_blocks import auto_recall
from recall_rank.frontends.mcp.server import check_limits
from recall_rank.recall import Recall
from recall_rank.search.query import MAX_QUERY_CHARS
from tests.support.frontends.harbor import Invented, tools
from tests.support.index.cutting import Cut, joined
from tests.support.search.samples import ENOUGH_MS, NOW, ask, found, message, session

FRAMES = [
    f'  File "/srv/quay/app/module_{n}.py", line {n}, in call_{n}\n    step_{n}(request, {n})' for n in range(200)
]
PYTHON = "\n".join(["Traceback (most recent call last):", *FRAMES, "GangwayError: the winch of berth 7 is jammed"])
JAVA = "\n".join(["quay.GangwayError: the winch of berth 7 is jammed",
                  *(f"\tat quay.app.Module{n}.call{n}(Module{n}.java:{n})" for n in range(200))])  # fmt: skip
LOG = "\n".join([*(f"12:00:{n % 60:02} INFO step {n} done" for n in range(150)),
                 "12:01:00 ERROR the winch of berth 7 is jammed",
                 *(f"12:02:{n % 60:02} INFO step {n} done" for n in range(150))])  # fmt: skip
PROSE = "We went on and on about the weather. " * 150 + "The winch of berth 7 is jammed. " + "It rained again. " * 150
TRACES = [pytest.param(text, id=name) for name, text in
          {"python": PYTHON, "java": JAVA, "log": LOG, "prose": PROSE}.items()]  # fmt: skip


def histories() -> list[Any]:
    fix = message(
        "fix.1", "Greased it: the winch of berth 7 is jammed no more. GangwayError is gone.", role="assistant"
    )
    others = [session(f"o{n}", f"step {n} done: the app calls module {n} in line {n}, request and call",
                      f"the weather of day {n}: it rained") for n in range(40)]  # fmt: skip
    return [session("fix", message("fix.0", "what is wrong with the winch"), fix), *others]


@pytest.fixture(scope="module", params=[None, Cut(2, tuple(n % 2 for n in range(41)), ())], ids=["one", "segments"])
def index(request: pytest.FixtureRequest) -> Index:
    return Index(joined(histories(), request.param))


@pytest.mark.parametrize("text", TRACES)
@pytest.mark.parametrize("match", ["smart", "fuzzy"])
@pytest.mark.parametrize("group", ["part", "session"])
def test_a_trace_finds_what_settled_it(index: Index, text: str, match: str, group: str) -> None:
    assert len(text) > MAX_QUERY_CHARS
    response = ask(index, text, match=match, group=group)
    assert response.results[0].session_id == "fix"
    assert response.query == text
    [warning] = response.warnings
    assert "telling words" in warning
    assert f"{len(text):,} characters" in warning


@pytest.mark.parametrize("text", [PYTHON, JAVA, LOG])
def test_a_literal_search_looks_for_the_telling_line(text: str) -> None:
    line = "the winch of berth 7 is jammed"
    wanted = next(each for each in text.splitlines() if line in each).strip()
    index = Index.build([*histories(), session("same", f"I saw this:\n{wanted}\nand left")])
    response = ask(index, text, match="literal")
    assert [hit.session_id for hit in response.results] == ["same"]
    assert any(wanted[:40] in warning for warning in response.warnings)
    assert found(index, text, match="literal") <= found(index, text, match="smart")


@pytest.mark.parametrize("text", TRACES)
def test_equal_questions_have_equal_answers(text: str) -> None:
    answers = [
        [(hit.part_id, hit.score) for hit in ask(Index.build(history), text).results]
        for history in (histories(), list(reversed(histories())))
    ]
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    "text",
    [
        "x" * 5_000,
        "x" * 3_000_000,
        "winch " * 2_000,
        "\n" * 5_000 + "winch",
        "winch" + " " * 5_000,
        '"' * 5_000 + "winch",
        "的" * 6_000,
        "winch\ud800 " * 1_000,
        "a_b_c_d_" * 1_000,
        "/srv/quay/winch.py " * 500,
        "0x7ffd " * 1_000 + "winch",
        "the of and " * 1_000,
        "Error: \n" * 1_000,
        "winch\x00\x1b[31m" * 1_000,
    ],
    ids=lambda text: repr(text[:12]),
)
@pytest.mark.parametrize("match", ["literal", "smart", "fuzzy"])
def test_no_long_text_is_refused(index: Index, text: str, match: str) -> None:
    response = ask(index, text, match=match)
    assert response.query == text
    assert response.warnings
    assert response.to_json()


def test_words_that_nobody_wrote_do_not_push_others_out(index: Index) -> None:
    text = " ".join(f"unheard{n}of" for n in range(500)) + " winch jammed"
    assert ask(index, text).results[0].session_id == "fix"


def test_the_words_are_those_of_the_eligible_set() -> None:
    text = " ".join(f"alpha{n} beta{n}" for n in range(400)) + " winch"
    rare = session("rare", *(f"winch alpha{n} beta{n}" for n in range(80)))
    common = session("common", *["winch"] * 30)
    index = Index.build([rare, common])
    alone = Index.build([rare])
    filtered = [(hit.part_id, hit.score) for hit in ask(index, text, session_id="rare").results]
    assert filtered == [(hit.part_id, hit.score) for hit in ask(alone, text, session_id="rare").results]


@pytest.mark.parametrize("text", [PYTHON, JAVA, LOG])
@pytest.mark.parametrize("match", [None, "literal", "smart", "fuzzy"])
def test_the_tool_accepts_it(text: str, match: str | None) -> None:
    desk = tools(*histories())
    args = {"query": text, **({"match": match} if match else {})}
    check_limits(args)
    answer = desk.call("recall", args, now=NOW, mode="raw")
    assert answer["ok"]
    assert "source" in answer["warning_categories"]
    if match in ("smart", "fuzzy"):
        assert answer["results"][0]["session_id"] == "fix"


def test_a_hook_reads_it() -> None:
    recall = Recall([Invented(*histories())])
    assert auto_recall(recall, f"that error again, as we did before:\n{JAVA}", budget_ms=ENOUGH_MS, now=NOW)


def test_scores_are_those_of_the_search(index: Index) -> None:
    scores = index.scores(PYTHON, now=NOW)
    hits = {hit.part_id for hit in ask(index, PYTHON, results=1000).results if hit.stage != "scan"}
    assert int((scores > 0).sum()) == len(hits)


def test_a_pattern_is_no_text() -> None:
    with pytest.raises(ValueError, match="at most 1000"):
        ask(Index.build(histories()), "x" * 1001, match="regex")
