"""`recall-rank search`: exit codes, JSON, filters, errors, and a machine without histories."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recall_rank import corpus
from recall_rank.frontends.caller_context import context_of_working_directory
from recall_rank.frontends.cli.main import cli, main
from recall_rank.frontends.cli.options.filters import filter_options
from recall_rank.model import Context
from tests.frontends.conftest import Machine, Run
from tests.support.frontends.samples import FakeIndex, FakeSource, session

pytestmark = pytest.mark.usefixtures("machine")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["rate limit", "--history", "good"], 0),
        (["rate", "limit", "--history", "good"], 0),
        (["rate limit", "--history", "good", "--history", "bad"], 0),
        (["absent", "--history", "good"], 1),
        (["absent", "--history", "empty"], 1),
        (["absent"], 3),
        ([], 2),
        ([" ", "--history", "good"], 2),
        (["rate", "--history", "unknown"], 2),
        (["rate", "--history", "good", "--match", "psychic"], 2),
        (["rate", "--history", "good", "--results", "many"], 2),
        (["rate", "--history", "bad"], 3),
        (["rate", "--history", "/not/there", "--history", "bad"], 3),
    ],
)
@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_exit_codes(run: Run, words: list[str], code: int, as_json: list[str]) -> None:
    result = run("search", *words, *as_json)
    assert result.exit_code == code, result.output


def test_json_is_the_whole_answer(run: Run) -> None:
    answer = json.loads(run("search", "rate limit", "--history", "good", "--json").stdout)
    assert answer["ok"] is True
    assert answer["results"][0]["snippet"] == "the rate limit is sixty"
    assert answer["coverage"]["per_source"][0]["sessions"] == 2


def test_errors_are_json_too_when_asked(run: Run) -> None:
    result = run("search", " ", "--history", "good", "--json")
    assert json.loads(result.stdout) == {"ok": False, "error": "query must not be blank", "schema_version": 1}
    assert run("search", " ", "--history", "good").stderr == "recall-rank: query must not be blank\n"


def test_people_get_hits_and_a_summary(run: Run) -> None:
    shown = run("search", "rate limit", "--history", "good", "--history", "/not/there").stdout
    assert "    the rate limit is sixty\n" in shown
    assert "1 of 2 sources" in shown
    assert "not read: unreadable: No such file or directory" in shown
    assert "\x1b" not in shown


def test_without_histories_the_demo_is_offered(run: Run) -> None:
    result = run("search", "rate limit")
    assert result.stdout == ""
    assert 'recall-rank demo "rate limit"' in result.stderr
    assert "no agent history" in json.loads(run("search", "rate limit", "--json").stdout)["error"]


def test_discovered_stores_are_searched(run: Run, machine: Machine) -> None:
    machine.discovered = [machine.histories["good"]]
    assert run("search", "flaky").exit_code == 0


def test_a_folder_and_an_agents_name_stand_for_all_their_histories(run: Run, machine: Machine, tmp_path: Path) -> None:
    other = FakeSource(session("s3", "rate limit too"), name="codex")
    machine.discovered = [*machine.histories.values(), other]
    machine.folders[str(tmp_path)] = [machine.histories["good"], other]
    for history, total in (("fake", 1), ("codex", 1), (tmp_path, 2)):
        assert json.loads(run("search", "rate limit", "--history", history, "--json").stdout)["total"] == total
    machine.folders[str(tmp_path)] = []
    assert run("search", "rate limit", "--history", tmp_path).exit_code == 2


def test_every_filter_reaches_the_engine(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    indexes: list[FakeIndex] = []
    monkeypatch.setattr(corpus, "Index", type("Kept", (FakeIndex,), {"build": lambda found: keep(indexes, found)}))
    words = (
        "-m fuzzy --scope project --group session --type tool --role user --session s1 --title T --sessions 3 -n 4 "
        "--width 90 --before 2026-01-01 --after 2025-01-01 --last 2d --from 3d --to now --since 4d --until 1h "
        "--directory /srv --fallback --tool bash --explain --budget-ms 100 --project harbor --exclude-session a "
        "--exclude-session b --must x --must-not y --must-not z --order time --offset 2 --agent codex --no-syntax "
        "--no-fold"
    )
    assert run("search", "rate", "--history", "good", *words.split()).exit_code == 0
    ((query, options),) = indexes[0].asked
    assert query == "rate"
    assert isinstance(options.pop("context"), Context)
    assert options.pop("now") > 0
    assert options == {
        "match": "fuzzy",
        "scope": "project",
        "group": "session",
        "type": "tool",
        "role": "user",
        "session_id": "s1@",
        "title": "T",
        "sessions": 3,
        "results": 4,
        "width": 90,
        "before": "2026-01-01",
        "after": "2025-01-01",
        "last": "2d",
        "from_": "3d",
        "to": "now",
        "since": "4d",
        "until": "1h",
        "directory": "/srv",
        "fallback": True,
        "tool_name": "bash",
        "explain": True,
        "budget_ms": 100,
        "project": "harbor",
        "exclude_session_ids": ("a", "b"),
        "must": ("x",),
        "must_not": ("y", "z"),
        "order": "time",
        "offset": 2,
        "agent": "codex",
        "syntax": False,
        "fold": False,
    }


def keep(indexes: list[FakeIndex], found: object) -> FakeIndex:
    indexes.append(FakeIndex(found))  # type: ignore[arg-type]
    return indexes[-1]


def test_filters_not_given_are_not_passed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    indexes: list[FakeIndex] = []
    monkeypatch.setattr(corpus, "Index", type("Kept", (FakeIndex,), {"build": lambda found: keep(indexes, found)}))
    run("search", "rate \udcff", "--history", "good")
    ((query, options),) = indexes[0].asked
    assert query == "rate \ufffd"
    assert options.keys() == {"context", "now", "syntax"}


def test_hostile_text_is_shown_escaped(run: Run, machine: Machine) -> None:
    machine.histories["hostile"] = FakeSource(session("s\x1b]0;x\x07", "rate \x1b[2J\x9b1m\u202e"))
    for flags in ([], ["--json"]):
        shown = run("search", "rate", "--history", "hostile", *flags).output
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(shown)


def test_the_working_directory_is_the_context(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    inside = tmp_path / "repo" / "src"
    inside.mkdir()
    monkeypatch.chdir(inside)
    assert context_of_working_directory() == Context(directory=str(inside), worktree=str(tmp_path / "repo"))
    monkeypatch.setattr(Path, "cwd", lambda: (_ for _ in ()).throw(FileNotFoundError()))
    assert context_of_working_directory() is None


def test_help_names_every_command_and_filter(run: Run) -> None:
    shown = run("--help").output
    for name in ("search", "sources", "batch", "demo"):
        assert f"  {name} " in shown
    assert filter_options(lambda: None).__click_params__  # type: ignore[attr-defined]
    shown = run("search", "--help").output
    for name in ("--match", "--exclude-session", "--must-not", "--budget-ms", "--history", "--json"):
        assert name in shown
    assert run("serach", "x").exit_code == 2
    assert cli.get_command(None, "absent") is None  # type: ignore[arg-type]


def test_an_interrupt_has_its_own_exit_code(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(FakeIndex, "search", interrupt)
    assert run("search", "rate", "--history", "good").exit_code == 130


def test_a_closed_pipe_ends_the_command_quietly(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*_: object, **__: object) -> None:
        raise BrokenPipeError

    discarded: list[bool] = []
    monkeypatch.setattr(FakeIndex, "search", closed)
    monkeypatch.setattr("recall_rank.frontends.cli.endings.discard_stdout", lambda: discarded.append(True))
    result = run("search", "rate", "--history", "good")
    assert (result.exit_code, result.output, discarded) == (0, "", [True])


def test_main_runs_the_words_of_the_shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["recall-rank", "search", "rate", "--history", "good"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert "the rate limit is sixty" in capsys.readouterr().out


@pytest.mark.parametrize("words", [("--history", ""), ("--history", " "), ("--history", "good", "--cache", "")])
def test_an_empty_path_is_a_usage_error(run: Run, words: tuple[str, ...]) -> None:
    shown = run("search", "rate", *words)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert f"Invalid value for '{words[-2]}': must not be empty" in shown.stderr


def test_a_query_that_begins_with_a_dash_gets_advice(run: Run) -> None:
    for words in (("search", "-foo"), ("search", "rate", "-nosuch"), ("demo", "-x")):
        shown = run(*words)
        assert shown.exit_code == 2
        assert 'Put "--" before a query that begins with a dash' in shown.stderr
        assert 'quote a query that leaves out a word: "rate -redis"' in shown.stderr
    for words in (("search", "rate", "-migration"), ("search", "rate", "-needle")):  # which set -m and -n
        assert 'quote a query that leaves out a word: "rate -redis"' in run(*words).stderr
    assert 'Put "--"' not in run("search", "rate", "-m", "exactly").stderr
    assert "Missing argument 'QUERY...'" in run("search").stderr
    assert 'Put "--"' not in run("stats", "--nosuch").stderr
    assert 'Put "--" before' in json.loads(run("search", "-foo", "--json").stdout)["error"]
    assert run("search", "--history", "good", "--", "-rate").exit_code == 1


def test_the_package_is_the_command_too() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "recall_rank", "demo", "--nosuch"],
        check=False,
        capture_output=True,
        cwd=Path(__file__).resolve().parents[3],
    )
    assert shown.returncode == 2
    assert shown.stderr.startswith(b"Usage: recall-rank demo ")


def test_a_closed_pipe_is_no_error() -> None:
    code = (
        "import os, sys, click\n"
        "from recall_rank.frontends.cli import main as cli\n"
        "@click.command()\n"
        "def endless():\n"
        "    while True: click.echo('x' * 1000)\n"
        "cli.LazyGroup.get_command = lambda *_: endless\n"
        "sys.argv = ['recall-rank', 'search']\n"
        "cli.main()\n"
    )
    root = Path(__file__).resolve().parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(root)},
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(20) == 0


def test_json_output_does_not_import_rich() -> None:
    code = (
        "import sys\n"
        "before = set(sys.modules)\n"  # a tool that measures coverage has loaded modules of its own
        "from recall_rank.frontends.cli.commands import batch, search, sources\n"
        "from recall_rank.frontends.cli.output import search_lines\n"
        "heavy = {'rich', 'numpy', 'rapidfuzz', 'asyncio', 'orjson', 'sqlite3'}\n"
        "print(sorted(heavy & (sys.modules.keys() - before)))\n"
    )
    root = Path(__file__).resolve().parents[3]
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert answer.stdout.strip() == "[]"


@pytest.mark.parametrize("words", [("demo",), ("demo", "--json"), ("demo", "--help"), ("--version",)])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_reported_in_a_sentence(words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        ended = _as_a_process(words, stdout=full, stderr=subprocess.PIPE)
    assert ended.returncode == 4
    assert ended.stderr.decode() == "recall-rank: the answer could not be written: No space left on device\n"


@pytest.mark.parametrize("closed", [(1,), (2,), (0, 1, 2)])
def test_streams_that_are_closed_take_everything(closed: tuple[int, ...]) -> None:
    shell = " ".join((f"exec {' '.join(f'{number}>&-' for number in closed)};", '"$@"'))
    words = ("demo", "umlaut", "-n", "1")
    ended = _as_a_process(words, before=("sh", "-c", shell, "sh"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert bool(ended.stdout) == (1 not in closed)


def _as_a_process(words: tuple[str, ...], *, before: tuple[str, ...] = (), **streams: Any) -> Any:
    code = "from recall_rank.frontends.cli.main import main; main()"
    root = Path(__file__).resolve().parents[3]
    env = {**os.environ, "PYTHONPATH": str(root)}
    return subprocess.run([*before, sys.executable, "-c", code, *words], check=False, env=env, **streams)


def test_a_file_that_cannot_be_created(run: Run, machine: Machine, tmp_path: Path) -> None:
    shown = run("export", "s1", "--history", "good", "--out", tmp_path / "absent" / "page.md")
    assert (shown.exit_code, shown.stdout) == (4, "")
    assert "No such file or directory" in shown.stderr


@pytest.mark.parametrize("words", [("--match", "nope"), ("--results", "many"), ("--nosuch",), ("--results",)])
def test_a_usage_error_is_json_too(run: Run, words: tuple[str, ...]) -> None:
    shown = run("search", "rate", "--history", "good", "--json", *words)
    assert (shown.exit_code, shown.stderr) == (2, "")
    told = json.loads(shown.stdout)
    assert (told["ok"], told["schema_version"]) == (False, 1)
    assert words[-1] in told["error"]
    shown = run("search", "--match", "nope", "--", "--json")
    assert shown.stdout == ""
    assert "Usage: recall-rank search" in shown.stderr
