"""`recall-rank evaluate` prints aggregates for people and programs, and no text of the history."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from recall_rank import Recall
from recall_rank.frontends.cli.query_file import BrokenLine, read_queries
from tests.frontends.conftest import Run

PRIVATE = ("lantern", "brass", "whale", "secret-session", "secret-message", "secret-part", "Harbour")
ANSWER = {"session": "secret-session-1", "message": "secret-message-1", "part": "secret-part-1"}


def line(text: str = "brass lantern", **changes: Any) -> bytes:
    return json.dumps({"id": "whale", "kind": "words", "query": text, "relevant": [ANSWER], **changes}).encode()


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """Three sessions, each with one message of one part, and a malformed line."""
    lines = ["{broken"]
    for number, text in enumerate(("the brass lantern", "whale oil for the lantern", "a wick"), 1):
        key = f"secret-session-{number}"
        lines += [
            json.dumps({"t": "session", "id": key, "title": f"Harbour {number}", "project": "secret"}),
            json.dumps(
                {
                    "t": "message", "id": f"secret-message-{number}", "session": key, "role": "user",
                    "time": 1_780_000_000_000,
                    "parts": [{"id": f"secret-part-{number}", "type": "text", "text": text}],
                }
            ),
        ]  # fmt: skip
    path = tmp_path / "history.jsonl"
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def ask(run: Run, history: Path) -> Any:
    def evaluate(*lines: bytes, options: tuple[str, ...] = ()) -> Result:
        words = ("--history", history, "--queries", "-", "--budget-ms", "600000", *options)
        result = run("evaluate", *words, input=b"\n".join(lines))
        assert not [word for word in PRIVATE if word in result.stdout + result.stderr]
        return result

    return evaluate


def test_a_table_for_people(ask: Any) -> None:
    shown = ask(line(), line("wick", relevant=[{"session": "secret-session-3"}], kind="whole")).stdout
    first, head, *rows = shown.splitlines()
    assert first == "asked: smart, fuzzy for kinds named typo"
    measures = "part@1 part@10 part MRR session@1 session@10 session MRR nDCG@10 recall@10"
    assert head.split() == ["kind", "n", *measures.split(), *"empty degraded ms p50 ms p95".split()]
    whole, words, total = (row.split() for row in rows[:3])
    assert whole[:12] == ["whole", "1", "-", "-", "-", "1.000", "1.000", "1.000", "-", "-", "0.0%", "0.0%"]
    assert words[:10] == ["words", "1", *["1.000"] * 8]
    assert total[:2] == ["all", "2"]
    assert "2 of 2 queries measured over 3 sessions, 3 parts" in rows
    assert "note: malformed records skipped (recall-rank sources says more): 1" in rows  # no path: it may be private
    assert "\x1b" not in shown


def test_json_for_programs(ask: Any) -> None:
    told = json.loads(ask(line(), b"{lantern", line(relevant=[{"session": "sand"}]), options=("--json",)).stdout)
    assert told["ok"] is True
    assert told["configurations"] == [{"match": "by kind"}]
    assert told["history"] == {
        "sources": 1, "failed": 0, "sessions": 3, "messages": 3, "parts": 3, "malformed": 1,
    }  # fmt: skip
    assert told["broken_lines"] == [{"line": 2, "reason": "not JSON"}]
    assert told["unknown_lines"] == [{"line": 3, "places": 1, "measured": False}]
    assert (told["queries"], told["measured"], told["missing"], told["refused"]) == (2, 1, 1, 0)
    assert told["overall"]["parts"]["mrr_10"] == told["kinds"]["words"]["parts"]["mrr_10"] == 1.0
    assert told["against"] is None


def test_two_ways_of_matching(ask: Any) -> None:
    asked = (line("lantern brass"), line("whale oil", relevant=[{"session": "secret-session-2"}], kind="whole"))
    options = ("--match", "smart", "--against", "literal")
    told = json.loads(ask(*asked, options=(*options, "--json")).stdout)
    assert told["configurations"] == [{"match": "smart"}, {"match": "literal"}]
    found = told["against"]["overall"]["part_mrr_10"]
    assert (found["queries"], found["wins"], found["losses"], found["ties"], found["mean"]) == (1, 1, 0, 0, 1.0)
    shown = ask(*asked, options=options).stdout
    assert "smart against literal, query by query" in shown
    rows = [row.split() for row in shown.splitlines() if "MRR@10" in row]
    assert ["words", "part", "MRR@10", "1", "1", "0", "0", "+1.0000", "-", "-"] in rows
    assert ["whole", "session", "MRR@10", "1", "0", "0", "1", "+0.0000", "-", "-"] in rows
    assert not [row for row in rows if row[:2] == ["whole", "part"]]


def test_other_weights(ask: Any) -> None:
    options = ("--against", "fuzzy", "--against-weights", "SURVIVORS=60", "--json")
    told = json.loads(ask(line(), options=options).stdout)
    assert told["configurations"] == [{"match": "by kind"}, {"match": "fuzzy", "weights": "SURVIVORS=60"}]
    assert told["against"]["overall"]["part_mrr_10"]["ties"] == 1
    shown = ask(line(), options=options[2:-1]).stdout
    assert "asked: smart, fuzzy for kinds named typo with SURVIVORS=60" in shown


def test_other_weights_reach_the_search(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    search, given = Recall.search, []

    def recorded(self: Recall, query: str, **options: Any) -> Any:
        given.append(options.get("weights"))
        return search(self, query, **options)

    monkeypatch.setattr(Recall, "search", recorded)
    assert ask(line(), options=("--against-weights", "SURVIVORS=60")).exit_code == 0
    assert {weights and weights.survivors for weights in given} == {None, 60}


def test_broken_and_unanswered_queries_are_named_by_their_number(ask: Any) -> None:
    bad = [b'{"query": "lantern"}', b"[" * 100_000, b'"whale"', line(query=["brass"]), b"\xff\xfe"]
    shown = ask(*bad, line(), line(relevant=[{"session": "sand"}]), *[b"{"] * 7).stdout.splitlines()
    assert "1 of 2 queries measured over 3 sessions, 3 parts" in shown
    assert "note: queries left out, their answers not being in the history: 1" in shown
    assert "note: broken lines in the file of queries: 12" in shown
    assert "  line 1: relevant must name at least one place" in shown
    assert "  line 2: not JSON" in shown
    assert "  line 3: a query must be a LabelledQuery or a mapping, not str" in shown
    assert "  line 4: query must be a string, not list" in shown
    assert shown[-1] == "  2 more (--json lists them)"
    note = shown.index("note: queries left out, their answers not being in the history: 1")
    assert shown[note + 1] == "  line 7: 1 answer"


def test_grades_of_no_use_are_named_by_line_and_the_rest_is_measured(ask: Any) -> None:
    graded = [{**ANSWER, "grade": 2}, {"session": "secret-session-2", "message": "secret-message-2", "grade": 1}]
    bad = [
        line(relevant=[{**ANSWER, "grade": "lantern"}]),
        line(relevant=[{**ANSWER, "grade": -1}]),
        line(relevant=[{**ANSWER, "grade": 0}]),
        line(relevant=[]),
        line(answerable=False),
    ]
    shown = ask(*bad, line("lantern", relevant=[*graded, {"session": "sand", "message": "m"}])).stdout.splitlines()
    assert "1 of 1 query measured over 3 sessions, 3 parts" in shown
    assert "note: answers left out, not being in the history as others of their queries are: 1" in shown
    assert shown[-6:] == [
        "note: broken lines in the file of queries: 5",
        "  line 1: grade must be a number, not str",
        "  line 2: grade must be from 0 to 100",
        "  line 3: relevant must name a place of a grade above 0",
        "  line 4: relevant must name at least one place",
        "  line 5: a query that is not answerable must name no answer",
    ]
    none = ask(*bad).stderr
    assert "no line of the file holds a query (5 broken): line 1: grade must be a number, not str" in none


def test_grades_and_questions_without_an_answer(ask: Any) -> None:
    other = {"session": "secret-session-2", "message": "secret-message-2"}
    asked = [
        line("whale oil lantern", relevant=[{**ANSWER, "grade": 2}, {**other, "grade": 1}]),
        line("gryphon", relevant=[], answerable=False, kind="none"),
        b'{"query": "wick", "answerable": false}',
    ]
    told = json.loads(ask(*asked, options=("--against", "literal", "--json")).stdout)
    counts = (told["queries"], told["measured"], told["unanswerable"], told["missing"], told["refused"])
    assert counts == (3, 1, 2, 0, 0)
    figures = told["overall"]
    assert figures["ndcg_10"] == pytest.approx((1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3)))
    assert (figures["parts"]["mrr_10"], figures["recall_10"]) == (0.5, 1.0)
    assert set(told["kinds"]) == {"words"}
    assert sum(one["queries"] for one in told["certainty"].values()) == 1
    assert sum(one["unanswerable"] for one in told["certainty"].values()) == 2
    assert told["certainty"]["none"] == {"queries": 0, "right": None, "unanswerable": 1}
    assert told["against"]["certainty"]["none"]["queries"] == 1
    assert told["against"]["overall"]["recall_10"]["wins"] == 1
    shown = ask(*asked).stdout.splitlines()
    table = shown[shown.index("first result  n  session right  unanswerable") :][:5]
    assert table[-1].split() == ["none", "0", "-", "1"]
    assert "note: queries that the history cannot answer, in no other figure: 2" in shown
    assert ask(asked[1]).exit_code == 0


def test_an_invalid_pattern_is_left_out(ask: Any) -> None:
    told = json.loads(ask(line("lantern("), line("la.tern"), options=("-m", "regex", "--json")).stdout)
    assert (told["queries"], told["measured"], told["refused"]) == (2, 1, 1)


@pytest.mark.parametrize(
    ("lines", "options", "code"),
    [
        ([line()], (), 0),
        ([line(relevant=[{"session": "sand"}])], (), 5),
        ([], (), 2),
        ([b"{lantern"], (), 2),
        ([line()], ("--against", "loose"), 2),
        ([line()], ("--match", "smart", "--against", "smart"), 2),
        ([line()], ("--against-weights", "BANANA=1"), 2),
        ([line()], ("--against-weights", "SURVIVORS"), 2),
        ([line()], ("--budget-ms", "0"), 2),
        ([line()], ("--history", "/not/there"), 0),
    ],
)
@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_exit_codes(
    ask: Any, lines: list[bytes], options: tuple[str, ...], code: int, as_json: tuple[str, ...]
) -> None:
    result = ask(*lines, options=(*options, *as_json))
    assert result.exit_code == code, result.output
    assert result.exit_code != 2 or result.stderr or not json.loads(result.stdout)["ok"]


def test_histories_that_cannot_be_read(run: Run, tmp_path: Path) -> None:
    result = run("evaluate", "--history", tmp_path / "gone", "--queries", "-", input=line())
    assert (result.exit_code, result.stdout) == (3, "")
    why = f"unreadable: {tmp_path / 'gone'}: no such file or folder"
    assert result.stderr == f"recall-rank: no history could be read:\n  {why}\n"


def test_weights_without_a_possible_search_are_a_usage_error(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("brass")

    monkeypatch.setattr("recall_rank.evaluation.evaluate.evaluate", fails)
    result = ask(line(), options=("--against-weights", "SURVIVORS=0"))
    assert result.exit_code == 2
    assert result.stderr == "recall-rank: no search is possible with these weights: ZeroDivisionError\n"


def test_a_file_of_queries(run: Run, history: Path, tmp_path: Path) -> None:
    queries = tmp_path / "queries.jsonl"
    queries.write_bytes(
        b"\xef\xbb\xbf" + line() + b"\r\n\r\n" + line("wick", relevant=[{"session": "secret-session-3"}])
    )
    packed = tmp_path / "history.jsonl.gz"
    packed.write_bytes(gzip.compress(history.read_bytes()))
    told = json.loads(run("evaluate", "--history", packed, "--queries", queries, "--json").stdout)
    assert (told["measured"], told["broken_lines"]) == (2, [])
    assert run("evaluate", "--history", packed, "--queries", tmp_path / "gone").exit_code == 2


def test_broken_lines_are_numbered_from_one() -> None:
    file = read_queries([b"\n", line("one"), b"  \n", b"nope\n", line(relevant=7)])
    assert ([query.query for query in file.queries], file.lines) == (["one"], [2])
    assert file.broken == [BrokenLine(4, "not JSON"), BrokenLine(5, "relevant must be a list, not int")]


@pytest.mark.shared
def test_a_real_history(run: Run, shared: Path, tmp_path: Path) -> None:
    source = (shared / "histories" / "queries.jsonl").read_bytes().splitlines()[::40]
    queries = tmp_path / "queries.jsonl"
    queries.write_bytes(b"\n".join(source))
    history = shared / "histories" / "history.jsonl.xz"
    result = run("evaluate", "--history", history, "--queries", queries, "--against", "fuzzy", "--json")
    told = json.loads(result.stdout)
    assert told["measured"] == told["queries"] == len(source)
    assert told["overall"]["sessions"]["hit_10"] > 0.9
    texts = [row["query"] for row in map(json.loads, source)]
    ids = {answer["session"] for row in map(json.loads, source) for answer in row["relevant"]}
    assert not [text for text in [*texts, *ids] if text in result.stdout]
