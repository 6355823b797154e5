"""A command as curator: it hangs, floods, fails, prints nothing, leaves processes behind; it is ended each time."""

from __future__ import annotations

import errno
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.curators import command
from recall_rank.frontends.curators.answer_check import CuratedAnswer, curated_answer
from recall_rank.frontends.curators.command import CURATING, READ_BYTES, CommandModel
from recall_rank.frontends.curators.curator import (
    CuratorCancelledError,
    CuratorError,
    CuratorTimeoutError,
    NoCuratorError,
    never,
)
from recall_rank.frontends.curators.language_model import ModelCurator
from recall_rank.frontends.curators.prompt import SYSTEM
from tests.support.frontends.ends import ended, gone, soon
from tests.support.frontends.model_curators import command_curator
from tests.support.frontends.recalled_turns import FACT, long_task, task

SECONDS = 20.0


def python(code: str) -> ModelCurator:
    return command_curator([sys.executable, "-c", code], name="command test")


FAMILY = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open({file!r}, "w").write(f"{{os.getpid()}} {{child.pid}}\\n")
"""


def test_the_prompt_is_on_stdin_and_the_answer_on_stdout() -> None:
    code = f"""import sys
text = sys.stdin.read()
assert text.startswith({SYSTEM[:60]!r})
print([line for line in text.splitlines() if "winch" in line][-1])"""
    answer = curated_answer(python(code), task(), seconds=SECONDS)
    assert answer.found
    assert FACT in answer.text


def test_a_long_prompt_and_a_long_answer_do_not_block_each_other() -> None:
    code = "import sys\nfor line in sys.stdin: sys.stdout.write('\\u00e9' * (len(line) // 8))"
    assert len(python(code).curate(long_task(), seconds=SECONDS, cancelled=never)) > 5_000


def test_a_command_that_does_not_read_its_prompt_answers() -> None:
    assert python(f"print({FACT!r})").curate(long_task(), seconds=SECONDS, cancelled=never).strip() == FACT
    code = f"import os; os.close(0); print({FACT!r})"
    assert python(code).curate(long_task(), seconds=SECONDS, cancelled=never).strip() == FACT


def test_a_command_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    hanging = python(FAMILY.format(file=str(file)) + "time.sleep(600)")
    began = time.monotonic()
    with pytest.raises(CuratorTimeoutError, match="did not answer within 2 seconds"):
        curated_answer(hanging, task(), seconds=2.0)
    assert time.monotonic() - began < 100
    assert all(ended(int(pid)) for pid in soon(file).split())


def test_a_command_that_ignores_signals_is_ended() -> None:
    code = """import signal, time
for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(each, signal.SIG_IGN)
time.sleep(600)"""
    began = time.monotonic()
    with pytest.raises(CuratorTimeoutError):
        curated_answer(python(code), task(), seconds=1.0)
    assert time.monotonic() - began < 100


def test_a_cancelled_call_ends_the_command_with_its_children(tmp_path: Path) -> None:
    file, cancel = tmp_path / "pids", threading.Event()
    hanging = python(FAMILY.format(file=str(file)) + "time.sleep(600)")
    found: list[Exception] = []

    def run() -> None:
        try:
            curated_answer(hanging, task(), seconds=SECONDS, cancelled=cancel.is_set)
        except CuratorError as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    pids = soon(file).split()
    cancel.set()
    thread.join(5)
    assert not thread.is_alive()
    assert isinstance(found[0], CuratorCancelledError)
    assert all(ended(int(pid)) for pid in pids)


def test_children_that_a_command_leaves_behind_are_ended(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    began = time.monotonic()
    answer = curated_answer(python(FAMILY.format(file=str(file)) + f"print({FACT!r})"), task(), seconds=SECONDS)
    assert answer == CuratedAnswer(True, FACT)
    assert time.monotonic() - began < 100, "the child holds the pipe of stdout"
    assert all(ended(int(pid)) for pid in soon(file).split())


def test_a_process_that_left_the_group_is_not_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    code = FAMILY.replace('time.sleep(600)"]', 'time.sleep(600)"], start_new_session=True').format(file=str(file))
    try:
        began = time.monotonic()
        answer = curated_answer(python(code + f"print({FACT!r}, flush=True)"), task(), seconds=SECONDS)
        assert answer.text == FACT
        assert time.monotonic() - began < 100
    finally:
        os.kill(int(soon(file).split()[1]), 9)


ASKING = """
import signal, sys
for number in (signal.SIGTERM, signal.SIGHUP):  # a run in the background may hand them down ignored
    signal.signal(number, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
from recall_rank.frontends.curators.answer_check import curated_answer
from tests.support.frontends.model_curators import command_curator
from tests.support.frontends.recalled_turns import task
curated_answer(command_curator([sys.executable, "-c", sys.argv[1]]), task(), seconds=60.0)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGINT])
def test_a_command_ends_with_the_program_that_asked(tmp_path: Path, number: signal.Signals) -> None:
    file, folders = tmp_path / "pids", tmp_path / "folders"
    folders.mkdir()
    root = str(Path(__file__).parents[3])
    hanging = FAMILY.format(file=str(file)) + "open('left', 'w').write('x')\ntime.sleep(600)"
    asking = subprocess.Popen(
        [sys.executable, "-c", ASKING, hanging],
        cwd=root,
        env={**os.environ, "PYTHONPATH": root, "TMPDIR": str(folders)},
        stderr=subprocess.DEVNULL,
    )
    try:
        pids = soon(file).split()
        asking.send_signal(number)
        asking.wait(10)
        assert all(ended(int(pid)) for pid in pids)
        assert gone(folders)
    finally:
        asking.kill()
        asking.wait()


FLOOD = "import sys\ntry:\n    while True: sys.{pipe}.write('w' * 65536)\nexcept BrokenPipeError: pass"


def test_a_flood_ends_the_command_and_shows_nothing() -> None:
    began = time.monotonic()
    with pytest.raises(CuratorError, match=f"printed more than {READ_BYTES} bytes and was ended") as caught:
        curated_answer(python(FLOOD.format(pipe="stdout")), task(), seconds=SECONDS)
    assert time.monotonic() - began < 100
    assert "wwww" not in str(caught.value)


def test_ten_megabytes_are_refused() -> None:
    with pytest.raises(CuratorError, match="printed more than"):
        curated_answer(python("print('w' * 10_000_000)"), task(), seconds=SECONDS)


def test_a_flood_on_stderr_is_bounded_by_time_and_kept_small() -> None:
    with pytest.raises(CuratorTimeoutError) as caught:
        curated_answer(python(FLOOD.format(pipe="stderr")), task(), seconds=1.0)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("text", ["w" * (READ_BYTES - 1), "\u00e9" * (READ_BYTES // 2)], ids=["ascii", "two bytes"])
def test_an_answer_that_is_read_whole_may_be_too_long_all_the_same(text: str) -> None:
    code = f"import sys; sys.stdout.buffer.write({text[0]!r}.encode() * {len(text)})"
    with pytest.raises(CuratorError, match="more than 32000 characters"):
        curated_answer(python(code), task(), seconds=SECONDS)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; sys.exit(1)", "ended with status 1$"),
        ("import sys; print('some text'); sys.exit(7)", "ended with status 7$"),
        (
            r"import sys; sys.stderr.write('\n  no \x1b[31mkey\nmore\n'); sys.exit(2)",
            r"ended with status 2: no \\x1b\[31mkey$",
        ),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", "was ended by signal 15$"),
        ("import sys; sys.stderr.buffer.write(b'\\xff' * 100_000); sys.exit(3)", "status 3: \ufffd{200}$"),
    ],
)
def test_a_status_that_is_not_0_is_an_error(code: str, said: str) -> None:
    with pytest.raises(CuratorError, match=said) as caught:
        curated_answer(python(code), task(), seconds=SECONDS)
    assert "some text" not in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        *(FACT, f"cannot read: {FACT[:30]}", f"{FACT[20:]} is refused"),
        *(FACT.upper(), FACT.replace(" ", "_"), " ".join(FACT), "\uff34" + FACT[1:]),
    ],
)
def test_an_error_that_quotes_the_prompt_is_not_repeated(line: str) -> None:
    with pytest.raises(CuratorError, match=r"command test ended with status 2$"):
        curated_answer(python(f"import sys; sys.stderr.write({line!r}); sys.exit(2)"), task())


def test_a_command_that_prints_nothing_is_an_error() -> None:
    with pytest.raises(CuratorError, match="returned nothing"):
        curated_answer(python("pass"), task(), seconds=SECONDS)


def test_an_echo_of_the_prompt_is_an_error() -> None:
    with pytest.raises(CuratorError, match="returned its instructions"):
        curated_answer(command_curator(["cat"]), task(), seconds=SECONDS)


@pytest.mark.parametrize(
    "argv",
    [
        ["tr", "a-z", "A-Z"],
        ["tr", " ", "_"],
        ["grep", "-i", "-m", "1", "slipway"],
        ["grep", "-i", "looking for"],
        ["grep", "between these lines"],
    ],
)
def test_an_echo_of_a_part_of_the_prompt_in_other_letters_is_an_error(argv: list[str]) -> None:
    with pytest.raises(CuratorError, match="returned its instructions"):
        curated_answer(command_curator(argv), task(), seconds=SECONDS)


def test_fences_and_control_characters_are_taken_out() -> None:
    code = f"""import sys
for line in sys.stdin:
    if line.startswith("<<<"): sys.stdout.write(line + {FACT!r} + "\\x1b[1m\\x07\\n")"""
    assert curated_answer(python(code), task(), seconds=SECONDS).text == f"{FACT}\n{FACT}"


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert (
        python("import sys; sys.stdout.buffer.write(b'a\\xffb')").curate(task(), seconds=SECONDS, cancelled=never)
        == "a\ufffdb"
    )


@pytest.mark.parametrize("argv", [["recall-rank-no-such-program"], ["/nowhere/curate"], ["a\0b"], ["sh", "a\0b"]])
def test_a_program_that_cannot_be_started_is_no_curator(argv: list[str]) -> None:
    with pytest.raises(NoCuratorError):
        curated_answer(command_curator(argv), task(), seconds=SECONDS)
    with pytest.raises(NoCuratorError):
        command_curator([])


def test_a_command_runs_in_an_empty_folder_that_is_gone_afterwards(tmp_path: Path) -> None:
    file = tmp_path / "seen"
    code = f"""import json, os
json.dump([os.getcwd(), os.listdir(), os.environ[{CURATING!r}]], open({str(file)!r}, "w"))
open("left", "w").write("x")
print("ok")"""
    python(code).curate(task(), seconds=SECONDS, cancelled=never)
    folder, entries, curating = json.loads(file.read_text())
    assert entries == []
    assert curating == "1"
    assert not Path(folder).exists()


def test_the_folder_of_a_command_is_gone_before_its_watcher_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    leave = command._Watcher.__exit__

    def look(watcher: command._Watcher, *error: object) -> None:
        seen.append(list(tmp_path.iterdir()))
        leave(watcher, *error)

    monkeypatch.setattr(command._Watcher, "__exit__", look)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    python("print(1)").curate(task(), seconds=SECONDS, cancelled=never)
    assert seen == [[]]


def test_a_program_named_by_a_relative_path_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "curate.sh"
    script.write_text("#!/bin/sh\necho curated\n")
    script.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    curator = command_curator(["./curate.sh"])
    assert curator.name == "command curate.sh"
    assert curator.curate(task(), seconds=SECONDS, cancelled=never) == "curated\n"


@pytest.mark.parametrize("at", ["__init__", "register"])
def test_a_command_is_ended_where_no_file_can_be_opened(monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """Regression: a command that had been started already ran on."""
    started: list[subprocess.Popen[bytes]] = []
    begin = command._piped

    def piped(*given: Any, **more: Any) -> subprocess.Popen[bytes]:
        started.append(begin(*given, **more))
        return started[-1]

    def full(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(command, "_piped", piped)
    monkeypatch.setattr(selectors.DefaultSelector, at, full)
    with pytest.raises((OSError, NoCuratorError)):
        CommandModel([sys.executable, "-c", "import time; time.sleep(60)"]).answer(
            "", "x", seconds=30, cancelled=lambda: False
        )
    assert [each.poll() is None for each in started] == [False] * len(started)


def test_many_commands_at_once_leave_no_file_open() -> None:
    def count() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    def run(curator: ModelCurator, done: Callable[[str], None]) -> None:
        done(curator.curate(task(), seconds=SECONDS, cancelled=never))

    before, texts = count(), list[str]()
    threads = [threading.Thread(target=run, args=(command_curator(["echo", str(n)]), texts.append)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert sorted(texts) == [f"{n}\n" for n in range(8)]
    assert count() == before
