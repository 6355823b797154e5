"""The command session-search: discovery, scrolling, browsing, for people and as JSON."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.frontends.conftest import Run
from tests.support.frontends.praison_folder import write_folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return write_folder(tmp_path / "sessions")


def answer(run: Run, *words: object) -> dict[str, Any]:
    result = run("session-search", *words, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_the_three_shapes_as_json(run: Run, folder: Path) -> None:
    found = answer(run, "fog horn", "--limit", 1, "--window", 0, "--history", folder)
    assert (found["mode"], found["total_found"], len(found["results"])) == ("discovery", 2, 1)
    hit = found["results"][0]
    read = answer(
        run, "--session", hit["session_id"], "--around", hit["anchor_index"], "--window", 0, "--history", folder
    )
    assert (read["mode"], read["messages"]) == ("scroll", hit["messages"])
    listed = answer(run, "-n", 2, "--history", folder)
    assert (listed["mode"], [entry["session_id"] for entry in listed["results"]]) == ("browse", ["nightly", "fog-horn"])


def test_the_original_scores(run: Run, folder: Path) -> None:
    both = {
        generation: answer(run, "fog horn", "--scoring", "praisonai", "--generation", generation, "--history", folder)
        for generation in ("g1", "g3")
    }
    scores = {name: {hit["session_id"]: hit["score"] for hit in each["results"]} for name, each in both.items()}
    assert (
        scores["g1"]["nightly"] == 4 * scores["g3"]["nightly"] == 48.0
    )  # each of 12 messages says both words in a row


def test_people_see_the_match_marked_and_the_number_of_each_message(run: Run, folder: Path) -> None:
    shown = run("session-search", "saffron", "pelican", "--history", folder).stdout
    assert "Keeper" not in shown
    assert "The early word of the lamp is saffron pelican." in shown
    assert re.search(r"^    >   0 user · \S+: The early word", shown, re.MULTILINE)
    assert re.search(r"^        1 assistant · \S+: Noted\.", shown, re.MULTILINE)
    assert shown.splitlines()[-1] == "1 session"


def test_what_the_marked_message_shows_is_not_shown_before(run: Run) -> None:
    told = run("session-search", "partners hammer sailings", "-n", "1", "--history", "demo", "--no-cache").stdout
    assert told.count("Partners hammer /v1/sailings every few seconds.") == 1
    assert ">   0 user · demo-10-m1: Partners hammer" in told
    told = run("session-search", "booking API", "-n", "2", "--history", "demo", "--no-cache").stdout
    assert "…src/booking/reserveSeat.ts…" in told  # it is not in what the message shows


def test_a_prefix_and_one_session(run: Run, folder: Path) -> None:
    found = answer(run, "moored", "--session-prefix", "ben:", "--history", folder)
    assert [entry["session_id"] for entry in found["results"]] == ["ben:harbour"]
    found = answer(run, "horn", "--session", "nightly", "--history", folder)
    assert {entry["session_id"] for entry in found["results"]} == {"nightly"}


@pytest.mark.parametrize(
    "words", [("",), (" ",), ("x", "--limit", "0"), ("x", "--window", "-1"), ("x", "--scoring", "y")]
)
def test_what_cannot_be_asked_is_a_usage_error(run: Run, folder: Path, words: tuple[str, ...]) -> None:
    assert run("session-search", *words, "--history", folder).exit_code == 2


@pytest.mark.parametrize(
    "words", [("--around", "3"), ("horn", "--around", "3"), ("horn", "--session", "x", "--around", "3")]
)
def test_a_message_to_read_around_needs_a_session_alone(run: Run, folder: Path, words: tuple[str, ...]) -> None:
    result = run("session-search", *words, "--history", folder)
    assert result.exit_code == 2
    assert "--around" in result.output


def test_a_message_out_of_range_is_told(run: Run, folder: Path) -> None:
    for around, used in ((9999, 5), (-1, 0)):
        shown = run("session-search", "--session", "fog-horn", "--around", around, "--history", folder).stdout
        assert f"note: --around must be from 0 to 5 in this session: {used} is used" in shown
    told = answer(run, "--session", "fog-horn", "--around", 9999, "--history", folder)["warnings"]
    assert told == ["around_message_id must be from 0 to 5 in this session: 5 is used"]


def test_a_word_with_a_dash_gets_advice(run: Run, folder: Path) -> None:
    result = run("session-search", "-zap", "--history", folder)
    assert result.exit_code == 2
    assert 'Put "--" before a query' in result.output


@pytest.mark.parametrize("wire", ["snake", "camel"])
def test_batch_answers_in_both_forms(run: Run, folder: Path, tmp_path: Path, wire: str) -> None:
    calls, out = tmp_path / "calls.jsonl", tmp_path / "out.jsonl"
    args = {"query": "fog horn", "limit": 1, "scoring": "praisonai"}
    calls.write_text(json.dumps({"id": 1, "tool": "session_search", "args": args, "wire": wire}))
    assert run("batch", "--history", folder, "--calls", calls, "--out", out).exit_code == 0
    output = json.loads(out.read_text())["output"]
    assert output["success" if wire == "camel" else "ok"] is True
    assert [(hit["session_id"], hit["score"]) for hit in output["results"]] == [("nightly", 12.0)]


@pytest.mark.parametrize(("generation", "limit", "found"), [("g1", -1, 1), ("g1", 0, 0), ("g3", 0, 1), ("g3", -1, 1)])
def test_batch_takes_every_limit_that_the_original_takes(
    run: Run, folder: Path, tmp_path: Path, generation: str, limit: int, found: int
) -> None:
    calls, out = tmp_path / "calls.jsonl", tmp_path / "out.jsonl"
    args = {"query": "fog horn", "limit": limit, "window": -1, "scoring": "praisonai", "generation": generation}
    ours = {"query": "fog horn", "limit": limit}
    lines = [{"id": number, "tool": "session_search", "args": given} for number, given in enumerate((args, ours))]
    calls.write_text("\n".join(map(json.dumps, lines)))
    assert run("batch", "--history", folder, "--calls", calls, "--out", out).exit_code == 0
    theirs, refused = (json.loads(line)["output"] for line in out.read_text().splitlines())
    assert (theirs["ok"], len(theirs["results"])) == (True, found)
    assert all(hit["messages"] == [] for hit in theirs["results"])
    assert (refused["ok"], refused["rejected_params"]) == (False, ["limit"])


def test_a_session_that_is_read_in_is_named_with_what_other_commands_take(run: Run) -> None:
    demo = ("--history", "demo", "--no-cache")
    first, blank, *lines = run("session-search", "--session", "demo-10", *demo).stdout.splitlines()
    said = r"Rate limiting for the booking API · .+ \(2026-11-18 13:21 UTC\) · demo-10 · 4 messages"
    assert re.fullmatch(said, first)
    assert not blank
    ids = [found[1] for line in lines if (found := re.match(r" +\d+ \w+ · (\S+): ", line))]
    assert ids == [f"demo-10-m{number}" for number in range(1, 5)]
    assert run("get", "demo-10", ids[1], *demo).exit_code == 0


def test_times_are_those_of_every_other_command(run: Run) -> None:
    for words in (("booking API", "-n", "1"), ("-n", "1")):
        first = run("session-search", *words, "--history", "demo", "--no-cache").stdout.splitlines()[0]
        assert re.search(r" · (\d+ \w+ ago|just now) \(\d{4}-\d\d-\d\d \d\d:\d\d UTC\) · demo-", first)


def test_what_a_tool_wrote_and_what_was_thought_are_not_told_as_said(run: Run, tmp_path: Path) -> None:
    call = {"id": "c", "type": "tool", "tool": "bash", "input": {"command": "make quay"}, "output": "oak piles"}
    parts = [{"id": "r", "type": "reasoning", "text": "pondering"}, {"id": "t", "type": "text", "text": "I build it."}]
    thought = [{"id": "r", "type": "reasoning", "text": "only pondering"}]
    path = tmp_path / "calls.jsonl"
    records: list[dict[str, Any]] = [{"t": "session", "id": "calls", "title": "Quay"}]
    for number, given in enumerate(([*parts, *[{**call, "id": f"c{n}"} for n in range(5)]], thought)):
        records.append({"t": "message", "id": f"m{number}", "session": "calls", "role": "assistant", "parts": given})
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    shown = run("session-search", "--session", "calls", "--history", path).stdout.splitlines()
    assert shown[2:] == [
        "        0 assistant · m0: I build it.",
        *["          bash: make quay"] * 3,
        "          and 2 more tool calls",
        "        1 assistant · m1",
        "          reasoning: only pondering",
    ]
    found = answer(run, "--session", "calls", "--history", path)
    assert found["messages"][1]["content"] == "only pondering"  # what an agent gets is as before


def test_damaged_records_are_counted(run: Run, tmp_path: Path) -> None:
    for number in range(7):
        session = json.dumps({"t": "session", "id": f"quay-{number}"})
        said = {"t": "message", "id": "m", "session": f"quay-{number}", "role": "user", "time": 1}
        said["parts"] = [{"id": "p", "type": "text", "text": "the quay wall"}]
        (tmp_path / f"{number}.jsonl").write_text(f"{session}\n{json.dumps(said)}\n{{torn\n", encoding="utf-8")
    named = [word for number in range(7) for word in ("--history", str(tmp_path / f"{number}.jsonl"))]
    for words in (("quay wall",), ()):
        shown = run("session-search", *words, *named, "--no-cache").stdout
        assert [line for line in shown.splitlines() if line.startswith("note: ")] == [
            f"note: 7 notes about sources: see {shlex.join(['recall-rank', 'sources', *named, '--no-cache'])}"
        ]
        assert len(answer(run, *words, *named, "--no-cache")["warnings"]) == 5


def test_a_beginning_that_several_sessions_have_is_told(run: Run) -> None:
    result = run("session-search", "--session", "demo-1", "--history", "demo", "--no-cache")
    assert result.exit_code == 5
    assert "3 sessions have ids that begin with 'demo-1': demo-10, demo-11, demo-12" in result.stderr
