"""Exit statuses of every command: 1 means that a search has no hits, and nothing else ends with it."""

from __future__ import annotations

import errno
import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from recall_rank import loaders
from recall_rank.frontends.cli import start
from recall_rank.frontends.cli.endings import exit_status
from recall_rank.frontends.cli.main import cli
from recall_rank.frontends.cli.output import clipboard, console
from recall_rank.frontends.cli.output.console import (
    DEFECT,
    HITS,
    HUNG_UP,
    INTERRUPTED,
    NO_HISTORY,
    NO_HITS,
    NOT_CURATED,
    NOT_THERE,
    NOT_WRITTEN,
    OUT_OF_MEMORY,
    USAGE,
)
from recall_rank.frontends.demo.generate import history
from recall_rank.recall import Recall
from tests.support.frontends.process import ROOT, recall_rank
from tests.support.frontends.terminal import heed_interrupts, shell_status

QUERY = '{"query": "rate limit", "relevant": [{"session": "%s"}]}\n'
# Every command that reads histories, as it is called for something that is there.
READING: dict[str, tuple[str, ...]] = {
    "search": ("rate limit",),
    "session-search": ("rate limit",),
    "ask": ("rate limit", "--for", "the limit", "--curator", "extractive"),
    "get": ("demo-10", "demo-10-m2"),
    "context": ("demo-10", "demo-10-m2"),
    "open": ("demo-10",),
    "copy": ("demo-10", "demo-10-m2"),
    "reopen": ("demo-10",),
    "messages": ("demo-10",),
    "sessions": (),
    "sources": (),
    "refresh": (),
    "forget": ("demo-10",),
    "stats": (),
    "export": ("demo-10",),
    "transcript": ("demo-10",),
    "condense": ("demo-10",),
    "chain": ("demo-10",),
    "notes": ("suggest", "demo-10"),
    "batch": ("--calls", "calls.jsonl", "--out", "out.jsonl"),
    "evaluate": ("--queries", "queries.jsonl"),
}
# What does not read histories, as it is called for something that is there.
OTHERS: dict[str, tuple[str, ...]] = {
    "build": ("history.jsonl", "--out", "shards", "--workers", "1"),
    "pull": ("--list",),
    "push": ("shared", "--history", "history.jsonl", "--project", "*"),
    "purge": (),
    "browse": ("--help",),
    "demo": ("rate limit",),
    "compact": ("status",),
    "hook": ("claude-code", "SessionEnd"),
    "completion": ("bash",),
    "help": (),
    "mcp": ("--help",),
    "web": ("--help",),
    "install": ("codex", "--dry-run"),
    "uninstall": ("codex", "--dry-run"),
    "hosts": ("--no-check",),
    "embed": ("--help",),
    "compress": ("chat.json", "--window", "1000", "--force"),
}
EVERY = {**READING, **OTHERS}
NO_JSON = (
    "browse",
    "open",
    "copy",
    "reopen",
    "hook",
    "export",
    "transcript",
    "condense",
    "batch",
    "completion",
    "help",
    "mcp",
    "web",
    "install",
    "uninstall",
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the demo history and files that commands read, and a cache folder of its own."""
    told = history().replace('"agent_app":', '"source": "opencode", "agent_app":')
    (tmp_path / "history.jsonl").write_text(told.replace("/home/sam/harborline", str(tmp_path)), encoding="utf-8")
    monkeypatch.setattr(clipboard, "_programs", lambda _: iter([("true",)]))
    (tmp_path / "empty.jsonl").write_text('{"t":"session","id":"bare-one"}\n', encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text(QUERY % "demo-10", encoding="utf-8")
    (tmp_path / "others.jsonl").write_text(QUERY % "nobody", encoding="utf-8")
    (tmp_path / "chat.json").write_text('[{"role": "user", "content": "rate limit"}]', encoding="utf-8")
    (tmp_path / "calls.jsonl").write_text('{"id": 1, "tool": "recall", "args": {"query": "bucket"}}\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))  # whose hosts `install`, `uninstall` and `hosts` look at
    return tmp_path


def ended(*words: object) -> tuple[int, str]:
    """Return the exit status of a command line, and what it printed."""
    result = CliRunner().invoke(cli, [str(word) for word in words], prog_name="recall-rank")
    return result.exit_code, result.output


def on_demo(name: str, *more: str) -> tuple[str, ...]:
    words = (name, *EVERY[name], *more)
    return (*words, "--history", "history.jsonl") if name in READING else words


def test_every_command_is_tried_here() -> None:
    assert set(EVERY) == set(cli.list_commands(click.Context(cli)))


@pytest.mark.parametrize("name", EVERY)
def test_what_is_there_ends_with_0(place: Path, name: str) -> None:
    status, shown = ended(*on_demo(name))
    assert status == HITS, shown


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("search", "zyzzyva", "-m", "literal"), NO_HITS),
        (("search", "rate limit", "--after", "now"), NO_HITS),
        (("session-search", "zyzzyva"), NO_HITS),
        (("session-search", "--session-prefix", "zyzzyva"), NO_HITS),
        (("ask", "zyzzyva", "--for", "x", "--curator", "extractive"), NO_HITS),
        (("ask", "rate limit", "--for", "x", "--curator", "nonsense"), USAGE),
        (("ask", "rate limit", "--for", "x", "--curator", "command:false"), NOT_CURATED),
        (("session-search", "rate", "--session", "nobody"), NOT_THERE),
        (("session-search", "--session", "nobody"), NOT_THERE),
        (("messages", "demo-10", "--query", "zyzzyva"), NO_HITS),
        (("sessions", "--search", "zyzzyva"), NO_HITS),
        (("search", "rate", "--session", "nobody"), NOT_THERE),
        (("get", "nobody", "demo-10-m2"), NOT_THERE),
        (("get", "demo-10", "nothing"), NOT_THERE),
        (("context", "nobody", "demo-10-m2"), NOT_THERE),
        (("context", "demo-10", "nothing"), NOT_THERE),
        (("messages", "nobody"), NOT_THERE),
        (("open", "nobody"), NOT_THERE),
        (("copy", "nobody", "demo-10-m2"), NOT_THERE),
        (("reopen", "nobody"), NOT_THERE),
        (("reopen", "demo-04"), USAGE),
        (("open", "demo-10", "--editor"), USAGE),
        (("get", "1"), NOT_THERE),
        (("forget", "--undo", "demo-10"), NOT_THERE),
        (("export", "nobody"), NOT_THERE),
        (("transcript", "nobody"), NOT_THERE),
        (("condense", "nobody"), NOT_THERE),
        (("condense", "demo-10", "--query", "xylophone zeppelin"), NO_HITS),
        (("chain", "nobody"), NOT_THERE),
        (("notes", "suggest", "nobody"), NOT_THERE),
        (("notes", "suggest", "demo-10", "--add", "--folder", "no/such/folder"), NOT_WRITTEN),
        (("forget", "nobody"), NOT_THERE),
        (("evaluate", "--queries", "others.jsonl"), NOT_THERE),
        (("export", "demo-10", "--out", "no/such/folder"), NOT_WRITTEN),
        (("transcript", "demo-10", "--out", "no/such/folder"), NOT_WRITTEN),
        (("condense", "demo-10", "--out", "no/such/folder"), NOT_WRITTEN),
        (("batch", "--calls", "calls.jsonl", "--out", "no/such/folder"), NOT_WRITTEN),
    ],
)
def test_what_is_not_there(place: Path, words: tuple[str, ...], status: int) -> None:
    code, shown = ended(*words, "--history", "history.jsonl")
    assert code == status, shown


def test_an_empty_history_is_read(place: Path) -> None:
    found = {name: ended(name, *READING[name], "--history", "empty.jsonl")[0] for name in READING}
    there = dict.fromkeys(("sources", "refresh", "stats", "sessions", "batch"), HITS)
    missing = dict.fromkeys(
        (
            "get",
            "context",
            "open",
            "copy",
            "reopen",
            "messages",
            "export",
            "transcript",
            "condense",
            "chain",
            "notes",
            "forget",
            "evaluate",
        ),
        NOT_THERE,
    )
    assert found == {**dict.fromkeys(("search", "session-search", "ask"), NO_HITS), **missing, **there}


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("name", READING)
def test_a_history_that_is_missing_is_named(place: Path, name: str, as_json: bool) -> None:
    if as_json and name in NO_JSON:
        return
    status, shown = ended(name, *READING[name], "--history", "absent.jsonl", *(["--json"] if as_json else []))
    assert status == NO_HISTORY
    assert name == "batch" or re.search(r"absent\.jsonl: no such file", shown, re.IGNORECASE), shown
    assert "Message not found" not in shown
    assert "Unknown session" not in shown


@pytest.mark.parametrize("name", [name for name in READING if name != "forget"])
def test_a_machine_without_histories(place: Path, name: str) -> None:
    status, shown = ended(name, *READING[name])
    assert (status, "no agent history was found" in shown) == (NO_HISTORY, True)


@pytest.mark.parametrize("name", [name for name in EVERY if name != "hook"])  # 2 would stop its host
@pytest.mark.parametrize("wrong", [("--nosuch",), ("--json", "--nosuch")])
def test_wrong_usage_ends_with_2(place: Path, name: str, wrong: tuple[str, ...]) -> None:
    assert ended(name, *EVERY[name], *wrong)[0] == USAGE


def test_no_command_ends_with_2() -> None:
    for words in (("nosuch",), ("--nosuch",), ("help", "nosuch"), ("completion", "tcsh")):
        assert ended(*words)[0] == USAGE, words


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (ZeroDivisionError("by nothing"), DEFECT, "an error of this program: ZeroDivisionError: by nothing"),
        (KeyError("lost"), DEFECT, "an error of this program: KeyError"),
        (MemoryError(), OUT_OF_MEMORY, "there is not enough memory"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), OUT_OF_MEMORY, "there is not enough memory"),
        (ImportError("x.so: failed to map segment from shared object"), OUT_OF_MEMORY, "there is not enough memory"),
        (SystemError("error return without exception set"), OUT_OF_MEMORY, "there is not enough memory"),
        (SyntaxError("expected ':'", (start.__file__, 1, 1, "")), OUT_OF_MEMORY, "there is not enough memory"),
        (SyntaxError("expected ':'", ("elsewhere.py", 1, 1, "")), DEFECT, "SyntaxError: expected ':'"),
        (RuntimeError("can't start new thread"), OUT_OF_MEMORY, "there is not enough memory"),
        (KeyboardInterrupt(), INTERRUPTED, ""),
        (click.Abort(), INTERRUPTED, ""),
        (EOFError("of a pipe"), DEFECT, "EOFError"),
    ],
)
@pytest.mark.parametrize("name", READING)
def test_an_exception_never_ends_with_1(
    place: Path, monkeypatch: pytest.MonkeyPatch, name: str, raised: BaseException, status: int, said: str
) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise raised

    for method in ("prepare", "sources", "refresh"):
        monkeypatch.setattr(Recall, method, fails)
    for words in (on_demo(name), *(() if name in NO_JSON else (on_demo(name, "--json"),))):
        result = CliRunner().invoke(cli, words, prog_name="recall-rank")
        assert (result.exit_code, said in result.output) == (status, True), result.output
        if "--json" in words and said:
            assert json.loads(result.stdout)["ok"] is False


@pytest.mark.parametrize("name", ["get", "context", "messages", "sessions"])
@pytest.mark.parametrize(
    ("raised", "status"),
    [(MemoryError(), OUT_OF_MEMORY), (ZeroDivisionError(), DEFECT), (OSError("locked"), NO_HISTORY)],
)
def test_an_exception_within_a_tool_never_ends_with_1(
    place: Path, monkeypatch: pytest.MonkeyPatch, name: str, raised: Exception, status: int
) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise raised

    for method in ("get", "context", "messages", "sessions"):
        monkeypatch.setattr(Recall, method, fails)
    if name == "sessions" and isinstance(raised, OSError):
        status = DEFECT  # a list of what was read already does not read
    assert ended(*on_demo(name))[0] == status


@pytest.mark.parametrize("cached", [(), ("--no-cache",)])
def test_a_history_too_large_for_the_memory_is_no_history_without_hits(
    place: Path, monkeypatch: pytest.MonkeyPatch, cached: tuple[str, ...]
) -> None:
    def too_large(*_: Any, **__: Any) -> Any:
        raise MemoryError

    (source,) = loaders.open_sources(place / "history.jsonl")
    both = ("search", "nothing said", "--history", "history.jsonl", "--history", "empty.jsonl", "-m", "literal")
    assert ended(*both, *cached)[0] == NO_HITS
    monkeypatch.setattr(type(source), "read", too_large)
    (place / "history.jsonl").write_text(history() + "\n", encoding="utf-8")
    status, shown = ended(*both, *cached)
    assert status == OUT_OF_MEMORY
    assert "history.jsonl: there is not enough memory to read it" in shown


def test_the_start_knows_the_statuses_of_the_command_line() -> None:
    assert (start.OUT_OF_MEMORY, start.DEFECT) == (OUT_OF_MEMORY, DEFECT)


def test_no_status_but_no_hits_is_1() -> None:
    statuses = {name: value for name, value in vars(console).items() if name.isupper() and isinstance(value, int)}
    assert [name for name, value in statuses.items() if value == 1 and name != "SCHEMA_VERSION"] == ["NO_HITS"]
    assert exit_status(lambda: None, as_json=False) == HITS


def test_the_statuses_stand_in_the_help_and_in_the_documents() -> None:
    text = " ".join((ROOT / "docs" / "command-line.md").read_text(encoding="utf-8").split())
    shown = " ".join(ended("--help")[1].split())
    for status in (
        HITS,
        NO_HITS,
        USAGE,
        NO_HISTORY,
        NOT_WRITTEN,
        NOT_THERE,
        OUT_OF_MEMORY,
        DEFECT,
        HUNG_UP,
        INTERRUPTED,
    ):
        assert f"| {status} | " in text
        assert re.search(rf"\b{status} (when|for)\b", shown), status


# --- as processes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("--help",), ("search", "--help"), ("demo",), ("help",), ("completion", "bash")])
def test_a_pipe_that_is_closed_at_once_ends_with_0(words: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        result = recall_rank(*words, capture_output=False, stdout=closed, stderr=subprocess.PIPE)
    assert (result.returncode, result.stderr) == (0, "")


INTERRUPTING = """
import importlib.abc, os, runpy, signal, sys
class Interrupt(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
sys.argv = ["recall-rank", "search", "rate limit", "--history", "history.jsonl", "--no-cache"]
runpy.run_module("recall_rank", run_name="__main__")
"""


@pytest.mark.parametrize(
    "module",
    [
        *(
            "click",
            "recall_rank.frontends.cli.endings",
            "recall_rank.frontends.cli.main",
            "recall_rank.frontends.cli.advice",
        ),
        *("recall_rank.frontends.cli.commands.search", "recall_rank.recall", "recall_rank.loaders", "orjson"),
        *("recall_rank.corpus", "recall_rank._core.rank.features"),
    ],
)
def test_ctrl_c_shows_no_traceback_whatever_is_being_imported(place: Path, module: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", INTERRUPTING.format(module=module)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=heed_interrupts,
    )
    assert shell_status(result.returncode) == INTERRUPTED, result.stderr
    assert (result.stdout, result.stderr) == ("", "")


def test_hardly_anything_is_imported_before_ctrl_c_is_quiet() -> None:
    code = "import sys; import recall_rank.frontends.cli.start; print(*sys.modules)"
    place = Path(start.__file__).parents[3]  # without site an installed package is not found by itself
    shown = subprocess.run(
        [sys.executable, "-S", "-c", code],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(place)},
    ).stdout.split()
    assert "recall_rank.frontends.cli.start" in shown
    assert not {"typing", "enum", "re", "functools", "importlib", "click"} & set(shown)


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("name", ["search", "sessions", "messages", "stats", "refresh", "evaluate"])
def test_short_of_memory_has_a_status_of_its_own(place: Path, name: str, as_json: bool) -> None:
    """A limit of the address space that lets the interpreter start, but not the engine."""
    kept = () if name == "refresh" else ("--no-cache",)
    words = (*on_demo(name), *kept, *(["--json"] if as_json else []))
    statuses = []
    for limit in (24, 30, 36, 42):
        result = recall_rank(*words, preexec_fn=lambda limit=limit: limit_memory(limit))
        statuses.append(result.returncode)
        assert result.returncode in (HITS, OUT_OF_MEMORY), result.stderr
        if result.returncode == OUT_OF_MEMORY:
            said = result.stdout or result.stderr
            assert said.count("\n") == 1, said
            assert "there is not enough memory" in said
    assert OUT_OF_MEMORY in statuses


def test_numpy_that_does_not_fit_ends_like_everything_else(place: Path) -> None:
    words = (
        "evaluate",
        "--queries",
        "queries.jsonl",
        "--against",
        "literal",
        "--history",
        "history.jsonl",
        "--no-cache",
    )
    for limit in range(60, 160, 10):
        result = recall_rank(*words, preexec_fn=lambda limit=limit: limit_memory(limit))
        assert result.returncode in (HITS, OUT_OF_MEMORY), result.stderr
        assert result.stderr in ("", "recall-rank: there is not enough memory\n")


def limit_memory(mebibytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20, mebibytes << 20))


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("build", "nowhere", "--out", "shards"), NO_HISTORY),
        (("build", "demo", "--out", "history.jsonl"), NOT_WRITTEN),
        (("search", "x", "--index", "history.jsonl"), NO_HISTORY),
        (("purge", "--cache", "history.jsonl"), USAGE),
        (("forget", "demo-10", "--history", "demo", "--cache", "history.jsonl"), NOT_WRITTEN),
        (("push", "file:///proc/nowhere", "--history", "demo", "--project", "*harborline"), NOT_WRITTEN),
        (("embed", "--history", "demo", "--embedder", "openai:small@http://127.0.0.1:9/v1"), NOT_WRITTEN),
        (("notes", "add", "x", "--folder", "nowhere"), NOT_WRITTEN),
        (("notes", "scan", "nowhere"), USAGE),
        (("compress", "nowhere", "--window", "9"), USAGE),
        (("export", "demo-10", "--history", "demo", "--out", "nowhere/x"), NOT_WRITTEN),
        (("ask", "rate limit", "--for", "x", "--curator", "command:./nowhere", "--history", "demo"), USAGE),
    ],
)
def test_no_error_of_the_system_is_told_by_its_number(place: Path, words: tuple[str, ...], status: int) -> None:
    assert place.is_dir()
    code, told = ended(*words)
    assert code == status, told
    assert "Errno" not in told
    assert not told.startswith("Traceback")


@pytest.mark.parametrize("name", ["search", "get", "sessions", "session-search", "transcript", "demo", "copy", "purge"])
def test_settings_that_are_wrong_are_told_in_one_way(place: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    file = place / "settings" / "recall_rank" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('[defaults]\nresults = "many"\n', encoding="utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place / "settings"))
    code, told = ended(*on_demo(name))
    assert code == USAGE
    assert told == f"recall-rank: {file}: defaults.results must be a whole number, not 'many'\n"
