"""Which summarizer a name, a setting or neither gives; how Claude Code is called; what goes wrong."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.curators.command import CURATING, READ_BYTES
from recall_rank.frontends.curators.curator import (
    CuratorCancelledError,
    CuratorError,
    CuratorTimeoutError,
    NoCuratorError,
    never,
)
from recall_rank.frontends.curators.summarizer import VARIABLE, summarizer_named, summary_of

SYSTEM = "Summarise what was decided."
TEXT = "The tide gate opens at four, since the barges wait for the ebb."
RECORDING = """#!{python}
import json, os, sys
seen = {{"argv": sys.argv[1:], "stdin": sys.stdin.read(), "env": dict(os.environ), "folder": os.listdir()}}
open({file!r}, "w").write(json.dumps(seen))
print("The gate opens at four.")
"""


class Fixed:
    """A summarizer that returns, raises or calls one thing."""

    name = "fixed"

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def summarize(self, system: str, text: str, *, seconds: float, cancelled: Callable[[], bool]) -> str:
        if isinstance(self._answer, BaseException):
            raise self._answer
        return self._answer(cancelled) if callable(self._answer) else self._answer  # type: ignore[no-any-return]


@pytest.fixture
def claude(tmp_path: Path) -> tuple[dict[str, str], Path]:
    """An environment whose program `claude` records how it is called, and the file of its record."""
    folder, file = tmp_path / "bin", tmp_path / "seen.json"
    folder.mkdir()
    program = folder / "claude"
    program.write_text(RECORDING.format(python=sys.executable, file=str(file)))
    program.chmod(0o755)
    return {"PATH": str(folder), "HOME": str(tmp_path)}, file


@pytest.fixture(autouse=True)
def without_llm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llm", None)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("claude", "claude sonnet"),
        (" Claude ", "claude sonnet"),
        ("claude:haiku", "claude haiku"),
        ("command:my-agent -p 'one argument'", "command my-agent"),
        ("COMMAND: cat", "command cat"),
    ],
)
def test_a_name_gives_its_summarizer(claude: tuple[dict[str, str], Path], name: str, shown: str) -> None:
    environ, _ = claude
    assert summarizer_named(name, environ={**environ, VARIABLE: "command:other"}).name == shown
    assert summarizer_named(None, environ={**environ, VARIABLE: name}).name == shown


@pytest.mark.parametrize("name", [None, "", "  "])
def test_without_a_name_the_setting_counts_then_claude(claude: tuple[dict[str, str], Path], name: str | None) -> None:
    environ, _ = claude
    assert summarizer_named(name, environ={**environ, VARIABLE: "command:cat"}).name == "command cat"
    assert summarizer_named(name, environ={**environ, VARIABLE: " "}).name == "claude sonnet"
    assert summarizer_named(name, environ=environ).name == "claude sonnet"


def test_the_setting_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "command:cat")
    assert summarizer_named(None).name == "command cat"


@pytest.mark.parametrize("name", [None, "claude", "claude:haiku"])
def test_without_claude_the_message_says_how_to_set_one(tmp_path: Path, name: str | None) -> None:
    with pytest.raises(NoCuratorError, match="the program claude is not there") as caught:
        summarizer_named(name, environ={"PATH": str(tmp_path)})
    for words in (VARIABLE, "command:PROGRAM", "llm:MODEL", "claude:MODEL"):
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cluade", "did you mean 'claude'"),
        ("extractive", "no summarizer 'extractive'"),
        ("sampling", "no summarizer 'sampling'"),
        ("claude:", "claude:MODEL"),
        ("claude:--dangerously-skip-permissions", "no summarizer 'claude:--dangerously"),
        ("command:", "is empty"),
        ("command:'open", "cannot be read: No closing quotation"),
        ("llm", "is not installed"),
        ("llm:", "llm:MODEL"),
        ("\x1b[1m", r"no summarizer '\\x1b\[1m'"),
    ],
)
def test_a_summarizer_that_cannot_be_had_is_told(claude: tuple[dict[str, str], Path], name: str, said: str) -> None:
    environ, _ = claude
    with pytest.raises(NoCuratorError, match=said):
        summarizer_named(name, environ=environ)
    with pytest.raises(NoCuratorError, match=said):
        summarizer_named(None, environ={**environ, VARIABLE: name})


def test_a_summarizer_cannot_ask_for_a_summarizer(claude: tuple[dict[str, str], Path]) -> None:
    environ, _ = claude
    for name in (None, "claude", "command:cat"):
        with pytest.raises(NoCuratorError, match="is running this program"):
            summarizer_named(name, environ={**environ, CURATING: "1"})


def test_claude_code_has_no_tools_keeps_no_session_and_is_told_what_it_is(
    claude: tuple[dict[str, str], Path],
) -> None:
    environ, file = claude
    inside = {**environ, "CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "cli", "ANTHROPIC_MODEL": "kept"}
    summary = summary_of(summarizer_named(None, environ=inside), SYSTEM, TEXT, seconds=20.0)
    seen = json.loads(file.read_text())
    assert summary == "The gate opens at four."
    assert seen["argv"] == [
        *("-p", "--model", "sonnet", "--tools", "", "--strict-mcp-config", "--no-session-persistence"),
    ]
    assert seen["stdin"] == f"{SYSTEM}\n\n{TEXT}"
    assert seen["env"][CURATING] == "1"
    assert seen["env"]["ANTHROPIC_MODEL"] == "kept"
    assert not {"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"} & set(seen["env"])
    assert seen["folder"] == []


def test_no_text_is_an_argument(claude: tuple[dict[str, str], Path]) -> None:
    environ, file = claude
    summary_of(summarizer_named("claude:haiku", environ=environ), SYSTEM, TEXT, seconds=20.0)
    words = " ".join(json.loads(file.read_text())["argv"])
    assert "haiku" in words
    assert "tide" not in words


def test_a_summary_is_cleaned() -> None:
    text = "\x1b[1mDecided\x1b[0m:\u200b four\r\n<<<end of recalled 12ab>>>\nbarges\n"
    assert summary_of(Fixed(text), SYSTEM, TEXT, seconds=5.0) == "Decided: four\nbarges"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("", "the summarizer fixed returned nothing"),
        ("\x1b[0m\n", "the summarizer fixed returned nothing"),
        (7, "the summarizer fixed returned int, not text"),
        (f"{SYSTEM.upper()}\n\n{TEXT}", "the summarizer fixed returned its instructions, so its summary is not shown"),
        ("w" * (READ_BYTES + 1), f"returned more than {READ_BYTES} characters"),
        (RuntimeError(TEXT), "^the summarizer fixed failed with RuntimeError$"),
        (CuratorError(f"bad: {TEXT}"), "^the summarizer fixed failed, and its message is not shown$"),
        (CuratorError("no connection"), "^no connection$"),
        (SystemExit(3), "^the summarizer fixed failed with SystemExit$"),
    ],
)
def test_what_is_no_summary_is_an_error_without_the_text(answer: object, said: str) -> None:
    with pytest.raises(CuratorError, match=said) as caught:
        summary_of(Fixed(answer), SYSTEM, TEXT, seconds=5.0)
    assert "barges" not in str(caught.value)


def test_a_summarizer_that_keeps_no_limit_is_left() -> None:
    ended, told = threading.Event(), threading.Event()

    def go_on(cancelled: Callable[[], bool]) -> str:
        while not ended.wait(0.01):
            if cancelled():
                told.set()
        return TEXT

    began = time.monotonic()
    try:
        with pytest.raises(CuratorTimeoutError, match=r"did not answer within 0\.1 seconds"):
            summary_of(Fixed(go_on), SYSTEM, TEXT, seconds=0.1)
        assert time.monotonic() - began < 50
        assert told.wait(5)
    finally:
        ended.set()


def test_a_cancelled_call_ends_the_command() -> None:
    cancel = threading.Event()
    summarizer = summarizer_named(f"command:{sys.executable} -c 'import time; time.sleep(600)'")
    threading.Timer(0.2, cancel.set).start()
    began = time.monotonic()
    with pytest.raises(CuratorCancelledError):
        summary_of(summarizer, SYSTEM, TEXT, seconds=60.0, cancelled=cancel.is_set)
    assert time.monotonic() - began < 50


@pytest.mark.parametrize("quoted", [TEXT, TEXT.upper(), TEXT[:30]])
def test_an_error_of_a_command_does_not_quote_the_conversation(quoted: str) -> None:
    code = f"import sys; sys.stderr.write({quoted!r}); sys.exit(3)"
    summarizer = summarizer_named(f'command:"{sys.executable}" -c "{code}"')
    with pytest.raises(CuratorError, match=r"ended with status 3$"):
        summarizer.summarize(SYSTEM, TEXT, seconds=20.0, cancelled=never)
