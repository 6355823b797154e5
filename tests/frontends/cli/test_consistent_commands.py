"""Options, advice and progress mean one thing on every command."""

from __future__ import annotations

import json
import re
import shlex
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from recall_rank.evaluation.report import Difference
from recall_rank.frontends.cli.main import cli
from recall_rank.frontends.demo.generate import history
from tests.frontends.conftest import Run
from tests.support.frontends.terminal import on_terminal, screen

DEMO = ("--history", "demo")


def commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        yield name, command


# --- the list of commands, and choices of an argument -----------------------------------------------------------


def test_the_list_of_commands_fits_and_says_how_to_begin(run: Run) -> None:
    shown = run().output
    assert shown == run("--help").output
    listed = shown.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in listed] == [name for name, _ in commands()]
    assert not [line for line in listed if line.endswith("...") or len(line) > 79]
    assert "  recall-rank search WORDS..." in shown.splitlines()[-3]  # what a low screen still shows


@pytest.mark.parametrize(("command", "choices"), [("completion", "bash, zsh, fish"), ("install", "opencode, claude-")])
def test_a_missing_choice_is_told_in_plain_text(run: Run, command: str, choices: str) -> None:
    result = run(command)
    assert result.exit_code == 2
    assert f"Choose from: {choices}" in result.stderr
    assert "\\x" not in result.stderr


# --- a query that is read from stdin, or is no command ---------------------------------------------------------


@pytest.mark.parametrize("words", [("search", "-", *DEMO), ("search", *DEMO, "--", "-"), ("demo", "-")])
def test_a_dash_reads_the_query_from_stdin(run: Run, words: tuple[str, ...]) -> None:
    answer = json.loads(run(words[0], "--json", *words[1:], input="token bucket\n").stdout)
    assert answer["query"] == "token bucket"
    assert answer["results"]
    assert run(*words, input="").exit_code == 2
    assert run(*words, input="\xff\n".encode("latin-1")).exit_code == 1


def test_a_dash_among_other_words_is_a_word(run: Run) -> None:
    answer = json.loads(run("search", "token", "-", "bucket", *DEMO, "--json", input="nothing").stdout)
    assert answer["query"] == "token - bucket"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("serach", "rate limit"), ["recall-rank search 'rate limit'", "recall-rank search serach 'rate limit'"]),
        (("session",), ["recall-rank sessions", "recall-rank search session"]),
        (("rate", "limit"), ["recall-rank search rate limit"]),
        (("why was redis dropped",), ["recall-rank search 'why was redis dropped'"]),
        (("help", "serach"), ["recall-rank search"]),
    ],
)
def test_words_that_are_no_command_get_what_was_meant(run: Run, words: tuple[str, ...], meant: list[str]) -> None:
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    for offer in meant:
        assert offer in " ".join(result.stderr.split())
    offered = result.stderr.partition("Did you mean: ")[2].strip().split(", or: ")
    assert shlex.split(offered[0])[:2] == shlex.split(meant[0])[:2]


def test_help_is_a_command(run: Run) -> None:
    assert run("help").stdout == run("--help").stdout
    for name, _ in commands():
        assert run("help", name).stdout == run(name, "--help").stdout, name


# --- options ---------------------------------------------------------------------------------------------------


def test_limit_means_one_thing_on_every_command() -> None:
    limits: dict[str, Any] = {}
    for name, command in commands():
        for option in command.params:
            if {"-n", "--limit"} & set(option.opts):
                assert {"-n", "--limit"} <= set(option.opts), name
                assert isinstance(option.type, click.IntRange)
                limits[name] = (option.type.min, option.type.max)
    assert limits.pop("session-search") == (1, 100)  # what its tool returns at once
    assert limits == dict.fromkeys(("search", "messages", "sessions", "chain", "demo"), (1, 1000))


@pytest.mark.parametrize("words", [("search", "the"), ("messages", "demo-10"), ("sessions",)])
def test_limit_limits(run: Run, words: tuple[str, ...]) -> None:
    for option in ("-n", "--limit", *(("--results",) if words[0] == "search" else ())):
        told = json.loads(run(*words, *DEMO, "--json", option, "2").stdout)
        listed = next(told[name] for name in ("results", "messages", "sessions") if name in told)
        assert len(listed) == 2
        for wrong in ("0", "1001", "-1", "many"):
            result = run(*words, *DEMO, option, wrong)
            assert result.exit_code == 2
            assert "'--limit' / '-n'" in result.stderr


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("search", "rate", "--store", "codex"), "--history"),
        (("sessions", "--source", "codex"), "--history"),
        (("search", "rate", "--scop", "project"), "--scope"),
        (("search", "rate", "--count", "3"), "--limit"),
        (("messages", "x", "--results", "3"), "--limit"),
        (("search", "rate", "--regex"), "--match"),
        (("stats", "--agent", "codex"), "--history"),
        (("search", "rate", "--nosuch"), None),
        (("search", "rate", "--verbose"), None),
        (("purge", "--agent"), None),
        (("--agent", "codex"), None),
    ],
)
def test_an_unknown_option_gets_the_nearest_one_or_none(run: Run, words: tuple[str, ...], meant: str | None) -> None:
    shown = " ".join(run(*words).stderr.split())
    assert ("Did you mean" in shown) == (meant is not None), shown
    assert meant is None or f"Did you mean '{meant}'?" in shown
    assert "?." not in shown
    assert "quote a query" not in shown


def test_the_help_of_mcp_tells_what_is_on(run: Run) -> None:
    shown = " ".join(run("mcp", "--help").stdout.split())
    for option, following in (("--global / --no-global", "--redact"), ("--redact / --no-redact", "--max-results")):
        assert shown.partition(option)[2].partition(f" {following} ")[0].endswith("Default: on.")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("search", "rate", "-redis"), True),
        (("demo", "rate", "-redis"), True),
        (("demo", "rate", "--no-cache"), False),
        (("demo", "rate", "--history", "demo"), False),
        (("messages", "x", "-redis"), False),
    ],
)
def test_a_word_that_may_be_left_out_has_one_dash(run: Run, words: tuple[str, ...], told: bool) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert ("quote a query that leaves out a word" in " ".join(result.stderr.split())) == told


@pytest.mark.parametrize("option", ["--last", "--since", "--until", "--from"])
@pytest.mark.parametrize("written", ["1M", "12 M", "1M ago"])
def test_m_in_capitals_is_neither_minutes_nor_months(run: Run, option: str, written: str) -> None:
    result = run("search", "rate", *DEMO, option, written)
    assert result.exit_code == 2
    assert f"{option} must be written with m for minutes or mo for months, not '{written}'" in result.stderr
    for plain in ("1m", "1MIN", "1mo", "1Mo"):
        assert run("search", "zyzzyva", "-m", "literal", *DEMO, option, plain).exit_code in (0, 1)


# --- output ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("queries", range(1, 8))
def test_few_queries_are_never_more_than_luck(queries: int) -> None:
    won = Difference.of([1.0] * queries)
    assert won is not None
    assert won.significant == (queries >= 6)
    ties = Difference.of([0.5] * queries + [0.0] * 50)
    assert ties is not None
    assert not ties.significant or queries >= 6


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "history.jsonl").write_text(history(), encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text('{"query": "rate limit", "relevant": [{"session": "demo-10"}]}\n')
    (tmp_path / "calls.jsonl").write_text('{"id": 1, "tool": "recall", "args": {"query": "bucket"}}\n')
    return tmp_path


@pytest.mark.parametrize("kind", ["xterm", "dumb"])
@pytest.mark.parametrize(
    "words",
    [
        ("search", "rate limit"),
        ("refresh",),
        ("stats",),
        ("evaluate", "--queries", "queries.jsonl"),
        ("batch", "--calls", "calls.jsonl", "--out", "-"),
        ("get", "demo-10", "demo-10-m1"),
    ],
)
def test_progress_leaves_nothing_on_the_screen(place: Path, words: tuple[str, ...], kind: str) -> None:
    for columns in (80, 24):
        status, shown, written = on_terminal(
            (*words, "--history", "history.jsonl", "--cache", place / f"cache-{columns}"),
            kind=kind,
            columns=columns,
            cwd=place,
        )
        assert (status, bool(shown)) == (0, True)
        assert kind == "dumb" or "reading" in written
        assert screen(written) == []


def test_a_message_stays_where_the_progress_was(place: Path) -> None:
    words = ("get", "nobody", "m", "--history", "history.jsonl", "--no-cache")
    status, shown, written = on_terminal(words, cwd=place)
    assert (status, shown) == (5, "")
    assert screen(written) == ["recall-rank: no session 'nobody'"]


def test_an_interrupt_leaves_no_bar(place: Path) -> None:
    big = place / "big.jsonl"
    said = {"t": "message", "id": "m", "role": "user", "time": 1, "parts": [{"id": "p", "type": "text", "text": "x"}]}
    with big.open("w") as file:
        for number in range(60_000):
            session = {"t": "session", "id": f"s{number}"}
            file.write(json.dumps(session) + "\n" + json.dumps({**said, "session": session["id"]}) + "\n")
    status, _, written = on_terminal(("stats", "--history", big, "--no-cache"), cwd=place, stop=signal.SIGINT)
    assert status == 130
    assert screen(written) == []


def test_the_terminal_of_these_tests_sees_what_stays() -> None:
    assert screen("one\r\ntwo\r\x1b[2K\x1b[1A\x1b[2K") == []
    assert screen("one\r\ntwo\r\n") == ["one", "two"]
    assert screen("\x1b[?25lbar 1/2\rbar 2/2\r\n\x1b[32mdone\x1b[0m") == ["bar 2/2", "done"]


def test_notes_on_sources_are_given_once(run: Run, place: Path) -> None:
    broken = place / "broken.jsonl"
    broken.write_text(history() + "{torn\n" * 3, encoding="utf-8")
    named = ("--history", broken, "--no-cache")
    noted = "1 note about sources: see recall-rank sources"
    shown = run("search", "rate limit", *named).stdout
    assert shown.count("note: ") == 1
    assert f"note: {noted} --history {broken} --no-cache\n" in shown
    for form in ("-q", "--tsv", "--oneline"):
        assert (f"note: {noted} --history {broken} --no-cache\n" in run("search", "rate", form, *named).stderr) == (
            form != "-q"
        )
    assert json.loads(run("search", "rate limit", *named, "--json").stdout)["warnings"] == [noted]
    call = json.dumps({"id": 1, "tool": "recall", "args": {"query": "bucket"}})
    (answer,) = run("batch", *named, "--calls", "-", "--out", "-", input=call + "\n").stdout.splitlines()
    assert json.loads(answer)["output"]["warnings"] == [noted]
    told = run("sources", *named, "--verbose").stdout
    assert told.count("malformed: ") == 3


@pytest.mark.parametrize("command", ["search", "session-search", "ask"])
def test_the_hint_at_sources_is_a_command_that_tells_the_notes(run: Run, place: Path, command: str) -> None:
    broken = place / "a folder" / "broken.jsonl"
    broken.parent.mkdir()
    broken.write_text(history() + "{torn\n" * 3, encoding="utf-8")
    words = ("rate limit", *(("--for", "the burst", "--curator", "extractive") if command == "ask" else ()))
    shown = run(command, *words, "--history", broken, "--cache", place / "kept here").stdout
    hints = re.findall(r"see recall-rank (sources .*)$", shown, re.MULTILINE)
    assert len(hints) == 1, shown
    told = run(*shlex.split(hints[0]), "-v")
    assert told.exit_code == 0
    assert str(broken) in told.stdout
    assert "malformed: " in told.stdout


def test_one_of_a_thing_is_told_in_the_singular(run: Run, place: Path) -> None:
    said = {"t": "message", "id": "only", "session": "alone", "role": "user", "time": 1, "parts": []}
    said["parts"] = [{"id": "p", "type": "text", "text": "quay"}]
    path = place / "one.jsonl"
    path.write_text(f"{json.dumps({'t': 'session', 'id': 'alone'})}\n{json.dumps(said)}\n", encoding="utf-8")
    queries = place / "queries.jsonl"
    queries.write_text('{"query": "quay", "relevant": [{"session": "alone"}]}\n', encoding="utf-8")
    kept = ("--history", path, "--cache", place / "kept")
    told = "".join(
        run(*words).output
        for words in (
            ("refresh", *kept),
            ("refresh", *kept),
            ("search", "quay", *kept),
            ("session-search", "quay", *kept),
            ("session-search", *kept),
            ("ask", "quay", "--for", "quay", "--curator", "extractive", *kept),
            ("ask", "quay", "--for", "zzz", "--curator", "command:false", *kept),
            ("sessions", *kept),
            ("messages", "alone", *kept),
            ("messages", "alone", "--offset", 7, *kept),
            ("chain", "alone", *kept),
            ("stats", *kept),
            ("sources", *kept),
            ("evaluate", "--queries", queries, *kept),
            ("build", path, "--out", place / "shards", "--workers", 1),
            ("push", place / "index", "--history", path, "--project", "x", "--dry-run"),
        )
    )
    assert "1 session" in told
    nouns = "sessions|messages|parts|hits|turns|files|queries|sources|units|shards|records|conversations"
    assert re.findall(rf"(?<![\d,.])1 (?:{nouns})\b.*", told) == []
