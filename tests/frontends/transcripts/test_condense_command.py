"""The command condense: unchanged, condensed or packed; its summarizer; its exit statuses."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from recall_rank.frontends.cli.output.console import HITS, NO_HITS, NOT_CURATED, USAGE
from recall_rank.frontends.curators.summarizer import VARIABLE
from recall_rank.frontends.transcripts.statistics import estimated_tokens
from recall_rank.model import Session
from tests.frontends.conftest import Run
from tests.support.frontends.long_sessions import START, long_session, message

KEY = "ghp_" + "a1B2c3D4e5F6" * 3
COUNT = f"command:{sys.executable} -c 'import sys; print(len(sys.stdin.read()) > 1000)'"
FAILS = f"command:{sys.executable} -c 'import sys; sys.exit(3)'"


def written(folder: Path, session: Session) -> Path:
    """Write a session as a file that --history reads."""
    head = {"t": "session", "id": session.id, "title": session.title, "created": START, "updated": START}
    rows = [head] + [
        {
            "t": "message",
            "id": each.id,
            "session": session.id,
            "role": each.role,
            "time": each.time,
            "parts": [{"id": part.id, "type": "text", "text": part.text} for part in each.parts],
        }
        for each in session.messages
    ]
    path = folder / "history.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A history with one long session, without a program `claude`."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "no-programs"))
    return written(tmp_path, long_session([[10, 3_000]] * 8))


def test_a_short_session_is_written_as_transcript_does(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, long_session([[10, 30]]))
    condensed, plain = (run(name, "long-e", "--history", path) for name in ("condense", "transcript"))
    assert condensed.exit_code == plain.exit_code == HITS
    assert condensed.stdout == plain.stdout
    assert condensed.stderr == ""


def test_a_long_session_is_condensed(run: Run, place: Path) -> None:
    result = run("condense", "long-e", "--summarizer", COUNT, "--history", place)
    assert result.exit_code == HITS, result.output
    assert result.stderr == ""
    assert 15_000 <= estimated_tokens(result.stdout) <= 20_000
    assert f"## Older conversation, summarised by command {Path(sys.executable).name}\n" in result.stdout
    assert "\n> True\n" in result.stdout


def test_the_summarizer_of_the_setting_is_asked(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, COUNT)
    assert "\n> True\n" in run("condense", "long-e", "--history", place).stdout


@pytest.mark.parametrize(
    ("words", "said"), [((), "the program claude is not there"), (("--summarizer", FAILS), "ended with status 3")]
)
def test_without_a_summary_the_page_is_written_and_the_status_says_so(
    run: Run, place: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    out = tmp_path / "page.md"
    result = run("condense", "long-e", *words, "--out", out, "--history", place)
    assert result.exit_code == NOT_CURATED
    assert result.stdout == ""
    assert result.stderr.startswith(f"wrote {out}\nrecall-rank: the page is written, but not all of it is summarised: ")
    assert said in result.stderr
    assert "## Older conversation, left out\n" in out.read_text(encoding="utf-8")


def test_a_named_summarizer_that_cannot_be_had_is_wrong_usage(run: Run, place: Path) -> None:
    result = run("condense", "long-e", "--summarizer", "cluade", "--history", place)
    assert result.exit_code == USAGE
    assert "did you mean 'claude'" in result.stderr
    assert result.stdout == ""


def test_a_query_packs_what_answers(run: Run, place: Path) -> None:
    result = run("condense", "long-e", "--query", "e002m000w000004", "--max-tokens", "2000", "--history", place)
    assert result.exit_code == HITS, result.output
    assert estimated_tokens(result.stdout) <= 2_000
    assert "### Exchange 3 · " in result.stdout
    assert "answers the query" in result.stdout


def test_a_budget_alone_packs_the_newest(run: Run, place: Path) -> None:
    result = run("condense", "long-e", "--max-tokens", "1000", "--history", place)
    assert result.exit_code == HITS
    assert estimated_tokens(result.stdout) <= 1_000
    assert "e007m001w002999;" in result.stdout


def test_a_query_that_nothing_answers_ends_with_1_and_writes_nothing(run: Run, place: Path) -> None:
    result = run("condense", "long-e", "--query", "zeppelin hangar", "--history", place)
    assert result.exit_code == NO_HITS
    assert result.stdout == ""
    assert "none of 8 exchanges answers 'zeppelin hangar'" in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--query", "tide", "--summarizer", "claude"), "goes with neither --query nor --max-tokens"),
        (("--max-tokens", "900", "--summarizer", "claude"), "goes with neither --query nor --max-tokens"),
        (("--query", " "), "--query is empty"),
        (("--max-tokens", "799"), "799 is not in the range x>=800"),
    ],
)
def test_wrong_usage_is_told(run: Run, place: Path, words: tuple[str, ...], said: str) -> None:
    result = run("condense", "long-e", *words, "--history", place)
    assert result.exit_code == USAGE
    assert said in result.stderr


@pytest.mark.parametrize("words", [(), ("--query", "token")])
def test_secrets_are_replaced_where_that_is_asked(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    path = written(tmp_path, Session("s", [message(0, 0, f"The token is {KEY}.")]))
    assert KEY in run("condense", "s", *words, "--history", path).stdout
    redacted = run("condense", "s", *words, "--redact", "--history", path).stdout
    assert KEY not in redacted
    assert "[redacted github]" in redacted
