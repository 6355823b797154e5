"""The short forms of `search` and `sessions`: one line each, columns, ids; and --redact of commands that read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recall_rank.frontends.cli.output.display import Display
from recall_rank.frontends.cli.output.record_lines import hit_rows, iso_time, session_rows
from recall_rank.frontends.cli.output.render import rendered
from tests.frontends.conftest import Run
from tests.support.frontends.samples import NOW, hit, response
from tests.support.frontends.terminal import PersonAtTerminal, rows_of, screen

DEMO = ("--history", "demo")


def test_quiet_gives_ids_that_other_commands_take(run: Run) -> None:
    told = json.loads(run("search", "rate limit", *DEMO, "--json").stdout)["results"]
    lines = run("search", "rate limit", *DEMO, "-q").stdout.splitlines()
    assert lines == [f"{each['session_id']}\t{each['message_id']}" for each in told]
    assert run("get", *lines[0].split("\t"), *DEMO).exit_code == 0
    sessions = json.loads(run("sessions", *DEMO, "--json").stdout)["sessions"]
    assert run("sessions", *DEMO, "--quiet").stdout.splitlines() == [each["id"] for each in sessions]


def test_tsv_has_a_line_and_ten_columns_for_each_hit(run: Run) -> None:
    told = json.loads(run("search", "rate limit", *DEMO, "--json").stdout)["results"]
    rows = [line.split("\t") for line in run("search", "rate limit", *DEMO, "--tsv").stdout.splitlines()]
    assert [len(row) for row in rows] == [10] * len(told)
    first = rows[0]
    assert first[:5] == ["demo-10", "demo-10-m1", "2026-11-18T13:13:02Z", "opencode", "user"]
    assert first[7:9] == ["/home/sam/harborline", "Rate limiting for the booking API"]
    assert float(first[6]) == round(told[0]["score"], 3)
    sessions = [line.split("\t") for line in run("sessions", *DEMO, "--tsv").stdout.splitlines()]
    assert {len(row) for row in sessions} == {5}
    assert sessions[2] == ["demo-10", "2026-11-18T13:21:07Z", "opencode", "/home/sam/harborline",
                           "Rate limiting for the booking API"]  # fmt: skip


def test_oneline_has_a_line_for_each(run: Run) -> None:
    lines = run("search", "rate limit", *DEMO, "--oneline").stdout.splitlines()
    assert len(lines) == 10
    assert lines[0].startswith(" 1. ")
    assert "Rate limiting for the booking API · Partners hammer /v1/sailings every few seconds. " in lines[0]
    assert lines[0].endswith("60 requests a minute.")
    listed = run("sessions", *DEMO, "--oneline", "-n", "3").stdout.splitlines()
    assert [line.partition(" ago")[2].strip() for line in listed] == [
        "Search box ignores the second word · claude-code · /home/sam/mossgarden",
        "Migration 0042: split member names · claude-code · /home/sam/ledgerleaf",
        "Rate limiting for the booking API · opencode · /home/sam/harborline",
    ]


@pytest.mark.parametrize("form", ["oneline", "tsv", "ids"])
def test_tabs_and_line_ends_of_texts_make_no_lines_or_columns(form: str) -> None:
    odd = "a\tb\nc\r\nd\x1b[2J"
    answer = response([hit(snippet=odd, session_title=odd, directory=odd, session_id=odd, message_id=odd, spans=())])
    (row,) = rendered(hit_rows(answer, form, NOW, 0, Display()), Display())
    assert "\n" not in row
    assert "\x1b" not in row
    assert row.count("\t") == {"oneline": 0, "tsv": 9, "ids": 1}[form]
    entry = {"id": odd, "title": odd, "directory": odd, "agent": odd, "time": {"updated": NOW}}
    (row,) = rendered(session_rows([entry], form, NOW, Display()), Display())
    assert "\n" not in row
    assert row.count("\t") == {"oneline": 0, "tsv": 4, "ids": 0}[form]


def test_one_line_is_no_wider_than_the_terminal(tmp_path: Path) -> None:
    with PersonAtTerminal(80, 24, tmp_path) as person:
        _, written = person.run("demo", "rate limit", "--oneline", "--color", "never")
        rows = rows_of(written)[:-1]
        assert len(rows) == 10
        assert max(map(len, rows)) <= 80
        _, written = person.run("sessions", "--history", "demo", "--no-pager", "--color", "never")
    rows = screen(written)
    assert max(map(len, rows)) <= 80
    assert rows[-2:] == ["12 sessions", "read on: recall-rank open 1; also messages, transcript, reopen"]


def test_times_are_in_utc() -> None:
    assert iso_time(NOW) == "2026-05-28T20:26:40Z"
    assert iso_time(0) == iso_time(10**18) == ""


@pytest.mark.parametrize("command", [("search", "rate"), ("demo", "rate"), ("sessions",)])
def test_forms_exclude_each_other(run: Run, command: tuple[str, ...]) -> None:
    for forms in (("--tsv", "-q"), ("--json", "--oneline"), ("--oneline", "--tsv")):
        result = run(*command, *forms)
        assert result.exit_code == 2
        assert "exclude each other" in result.output


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A history with a torn line."""
    from recall_rank.frontends.demo.generate import history

    path = tmp_path / "broken.jsonl"
    path.write_text(history() + "{torn\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("form", ["--oneline", "--tsv"])
def test_what_is_not_whole_is_told_beside_the_form(run: Run, broken: Path, form: str) -> None:
    result = run("search", "rate limit", form, "--history", broken, "--no-cache")
    assert "note: 1 note about sources" in result.stderr
    assert "note" not in result.stdout


@pytest.mark.parametrize(
    "command", [("search", "rate limit"), ("sessions",), ("search", "rate limit", "--sessions", "1")]
)
def test_quiet_writes_no_notes(run: Run, broken: Path, command: tuple[str, ...]) -> None:
    result = run(*command, "-q", "--history", broken, "--no-cache")
    assert result.stderr == ""


def test_quiet_tells_errors(run: Run, tmp_path: Path) -> None:
    both = ("--history", "demo", "--history", tmp_path / "gone.jsonl")
    result = run("search", "rate limit", "-q", *both, "--no-cache")
    assert result.stderr == f"not read: unreadable: {tmp_path}/gone.jsonl: no such file or folder\n"
    assert result.stdout
    result = run("search", "rate limit", "-q", *both[2:], "--no-cache")
    assert result.stderr.startswith("not read: ")
    assert result.exit_code == 3


def test_quiet_draws_nothing_on_a_terminal(tmp_path: Path, broken: Path) -> None:
    with PersonAtTerminal(80, 24, tmp_path) as person:
        for words in (("search", "rate limit"), ("sessions",)):
            _, written = person.run(*words, "-q", "--history", broken)
            assert "\x1b" not in written
            assert all(row.startswith("demo-") for row in written.split())


def test_quiet_does_not_tell_of_an_older_index(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from recall_rank.frontends.cli.options import histories

    class Refreshing:
        def wait(self, seconds: float | None = None) -> bool:
            return seconds is None

    monkeypatch.setattr(histories.sys.stderr, "isatty", lambda: True, raising=False)
    histories.finish_refresh(Refreshing(), 90_000)  # type: ignore[arg-type]
    assert "index of 90 s ago" in capsys.readouterr().err
    monkeypatch.setattr(histories, "is_quiet", lambda: True)
    histories.finish_refresh(Refreshing(), 90_000)  # type: ignore[arg-type]
    assert capsys.readouterr().err == ""


def test_reading_commands_redact_where_they_are_told(run: Run, tmp_path: Path) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    path = tmp_path / "key.jsonl"
    part = f'{{"id":"p","type":"text","text":"the key is {key} today"}}'
    path.write_text(
        '{"t":"session","id":"key-one"}\n'
        f'{{"t":"message","session":"key-one","id":"m1","role":"user","parts":[{part}]}}\n'
    )
    for words in (("get", "key-one", "m1"), ("context", "key-one", "m1"), ("messages", "key-one")):
        assert key in run(*words, "--history", path).stdout
        shown = run(*words, "--history", path, "--redact").stdout
        assert key not in shown
        assert "the key is [redacted" in shown
