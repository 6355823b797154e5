"""OpenCode with our plugin: two sessions by `opencode run`, then a server: compaction, abort, a killed child."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from recall_rank.model.recalled_text import NUDGE_SENTINEL
from tests.hosts.harness import (
    CALLS,
    FIRST_ANSWER,
    FIRST_QUESTION,
    LAST_ANSWER,
    SECOND_QUESTION,
    WORD,
    Report,
    Workplace,
    check_gone,
    check_project,
    check_store,
    check_tools,
    check_undone,
    check_without_us,
)
from tests.hosts.processes import left_of, recall_children
from tests.hosts.stub_model import MODEL, Call

_ADDRESS: Final = re.compile(r"http://127\.0\.0\.1:\d+")


def configure(workplace: Workplace) -> None:
    """Point OpenCode at the stub model."""
    options = {"baseURL": f"{workplace.model.url}/v1", "apiKey": "none"}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Stub",
        "options": options,
        "models": {MODEL: {"name": "Stub"}},
    }
    model = f"stub/{MODEL}"
    settings = {
        "$schema": "https://opencode.ai/config.json",  # OpenCode would add it itself
        "autoupdate": False,
        "share": "disabled",
        "model": model,
        "small_model": model,
        "provider": {"stub": provider},
    }
    place = workplace.home / ".config/opencode/opencode.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(settings))


def drive(workplace: Workplace, report: Report) -> None:
    """Drive OpenCode, and add to the report what was seen."""
    program = workplace.npm("opencode-ai", "opencode")
    report.version = workplace.run(program, "--version").stdout.strip()
    configure(workplace)
    check_undone(report, workplace, "opencode")
    before = workplace.edited_files("opencode")
    model = workplace.model

    model.begin(CALLS[-1], FIRST_ANSWER)
    done = workplace.run(program, "run", FIRST_QUESTION)
    report.check("the first session is answered", FIRST_ANSWER in done.stdout, done.stdout + done.stderr)
    answers = model.talk()[-1].answers if model.talk() else ()
    report.check("the first session of a home is read", any(FIRST_QUESTION in each for each in answers), answers)

    model.begin(*CALLS, LAST_ANSWER)
    done = workplace.run(program, "run", SECOND_QUESTION)
    report.check("the second session is answered", LAST_ANSWER in done.stdout, done.stdout + done.stderr)
    talk = model.talk()
    check_tools(report, talk)
    if talk:
        report.check("the nudge reached the model", NUDGE_SENTINEL in talk[0].text)
        auto = "<recall-auto>" in talk[0].text
        report.check("auto recall reached the model with the first request", auto and "burst of 42" in talk[0].text)
        report.check("what auto recall added is not stored", not _stored(workplace, "<recall-auto>"))

    _check_two_at_once(workplace, report, program)
    with _server(workplace, program) as (url, process):
        _check_compaction(workplace, report, url)
        _check_killed_child(workplace, report, url, process)
        _check_abort(workplace, report, url)
        children = recall_children(process.pid)
    report.check("our process ended with the host", bool(children) and not left_of(children), children)
    check_store(report, workplace, "opencode", _counts(workplace))
    _check_without_python(workplace, report, program)
    workplace.uninstall("opencode")
    check_gone(report, workplace, before)
    model.begin(LAST_ANSWER)
    workplace.run(program, "run", SECOND_QUESTION)
    check_without_us(report, model.talk())
    check_project(report, workplace, "opencode", [program, "run"])


def _check_two_at_once(workplace: Workplace, report: Report, program: Path) -> None:
    """Run OpenCode twice at the same time over one home: both are answered from our tools."""
    workplace.model.begin(CALLS[0], LAST_ANSWER, in_each_talk=True)
    both = [
        threading.Thread(target=workplace.run, args=(program, "run", f"{SECOND_QUESTION} {number}"))
        for number in (1, 2)
    ]
    for each in both:
        each.start()
    for each in both:
        each.join()
    told = [each.text for each in workplace.model.talk() if any("burst of 42" in answer for answer in each.answers)]
    answered = [number for number in (1, 2) if any(f"{SECOND_QUESTION} {number}" in text for text in told)]
    report.check("two hosts at once are answered", answered == [1, 2], answered)


def _check_compaction(workplace: Workplace, report: Report, url: str) -> None:
    """Compact a session that holds a decision, and look for the decision in what the model is asked to summarise."""
    said = f"We decided to use {WORD} with a burst of 42 because the uploads come in pairs."
    session = _post(url, "/session", {})["id"]
    workplace.model.begin("Understood.")
    _say(url, session, said)
    workplace.model.begin()
    _post(url, f"/session/{session}/summarize", {"providerID": "stub", "modelID": MODEL})
    texts = [each.text for each in workplace.model.requests]
    seen = f"{len(texts)} requests"
    report.check("compaction recall reached the model", any("<recall-compaction>" in text for text in texts), seen)
    workplace.model.begin(Call("recall", {"query": "burst of 42 because the uploads", "scope": "project"}), LAST_ANSWER)
    _say(url, session, "Go on.")
    talk = workplace.model.talk()
    answers = talk[-1].answers if talk else ()
    report.check("what the compaction took away is found again", any(said in each for each in answers), answers[-1:])


def _check_killed_child(workplace: Workplace, report: Report, url: str, process: subprocess.Popen[str]) -> None:
    """Kill our process; the next call is answered by a new one."""
    before = recall_children(process.pid)
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    workplace.model.begin(Call("recall", {"query": WORD}), LAST_ANSWER)
    answer = _say(url, _post(url, "/session", {})["id"], "And now?")
    talk = workplace.model.talk()
    answered = bool(talk) and any("burst of 42" in each for each in talk[-1].answers)
    report.check("a killed child is started again", bool(before) and answered, f"{before}, {len(talk)} requests")
    report.check("the turn with the killed child is answered", LAST_ANSWER in json.dumps(answer))


def _check_abort(workplace: Workplace, report: Report, url: str) -> None:
    """Abort a turn of a session; the session takes the next message."""
    session = _post(url, "/session", {})["id"]
    workplace.model.begin(*[Call("recall", {"query": f"{WORD} {number}"}) for number in range(200)])
    turn = threading.Thread(target=_say, args=(url, session, "Look everywhere."), daemon=True)
    turn.start()
    until = time.monotonic() + 30
    while len(workplace.model.talk()) < 3 and time.monotonic() < until:
        turn.join(0.05)
    _post(url, f"/session/{session}/abort", {})
    turn.join(30)
    report.check("an aborted turn ends", not turn.is_alive())
    workplace.model.begin(LAST_ANSWER)
    report.check("a session goes on after an abort", LAST_ANSWER in json.dumps(_say(url, session, "Go on, please.")))


def _check_without_python(workplace: Workplace, report: Report, program: Path) -> None:
    """With no program behind the plugin, the host answers, and one line is in its log."""
    settings = workplace.home / ".config/opencode/plugins/recall-rank.json"
    written = settings.read_bytes()
    settings.write_text(json.dumps({"command": ["/nowhere/recall-rank"]}))
    workplace.model.begin(CALLS[0], LAST_ANSWER)
    done = workplace.run(program, "run", "--print-logs", "--log-level", "WARN", SECOND_QUESTION)
    settings.write_bytes(written)
    lines = [line for line in done.stderr.splitlines() if "recall-rank is not running" in line]
    report.check("without our program the host answers", LAST_ANSWER in done.stdout, done.stderr)
    report.check("and one line says so", len(lines) == 1, lines)


@contextmanager
def _server(workplace: Workplace, program: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run `opencode serve`; gives its address and its process, which is asked to end afterwards."""
    command = [str(program), "serve", "--port", "0", "--hostname", "127.0.0.1"]
    process = subprocess.Popen(
        command,
        cwd=workplace.project,
        env=workplace.environment,
        stdout=subprocess.PIPE,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        url = next((found[0] for line in process.stdout if (found := _ADDRESS.search(line))), None)
        if url is None:
            raise LookupError("opencode serve names no address")
        yield url, process
    finally:
        process.terminate()
        process.wait(30)


def _post(url: str, path: str, body: object) -> Any:
    """Post JSON to the server of OpenCode, and return the JSON it answers with; None for an empty answer."""
    request = urllib.request.Request(
        url + path, json.dumps(body).encode(), {"content-type": "application/json"}, method="POST"
    )
    with urllib.request.urlopen(request, timeout=120) as answer:
        raw = answer.read()
    return json.loads(raw) if raw else None


def _say(url: str, session: str, text: str) -> Any:
    """Say something in a session, and return the answer of the turn."""
    body = {"model": {"providerID": "stub", "modelID": MODEL}, "parts": [{"type": "text", "text": text}]}
    return _post(url, f"/session/{session}/message", body)


def _database(workplace: Workplace) -> sqlite3.Connection:
    place = workplace.home / ".local/share/opencode/opencode.db"
    return sqlite3.connect(f"{place.as_uri()}?mode=ro", uri=True)


def _stored(workplace: Workplace, text: str) -> bool:
    """Whether a part of the store holds a text, but for what tools answered."""
    with _database(workplace) as database:
        rows = database.execute("SELECT data FROM part").fetchall()
    return any(text in data for (data,) in rows if json.loads(data)["type"] != "tool")


def _counts(workplace: Workplace) -> dict[str, int]:
    """The numbers of sessions and messages in the store, counted without our loader."""
    with _database(workplace) as database:
        return {
            f"{table}s": int(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
            for table in ("session", "message", "part")
        }
