"""Hermes with our plugin: sessions by `hermes -z`, its own session_search answered by us."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Final

from tests.hosts.harness import (
    CALLS,
    FIRST_ANSWER,
    FIRST_QUESTION,
    LAST_ANSWER,
    RECALL,
    SECOND_QUESTION,
    WORD,
    Report,
    Workplace,
    check_store,
    check_tools,
    digests,
)
from tests.hosts.stub_model import MODEL, Call

NUDGE: Final = "Earlier sessions can be searched"
# What a person may have in the file, in a form that Hermes itself writes.
CONFIG: Final = """\
# mine
model:
  provider: custom
  default: {model}
  base_url: {url}/v1
  api_key: none
plugins:
  enabled: []
  disabled: []
"""


def program_of(workplace: Workplace) -> Path:
    """Install Hermes from the Python registry, unless it is there, and return the path of its command."""
    folder = workplace.programs / "hermes"
    found = folder / "bin/hermes"
    if not found.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(folder / "bin/pip"), "install", "-q", "hermes-agent"], check=True, timeout=600)
    return found


def drive(workplace: Workplace, report: Report) -> None:
    """Drive Hermes, and add to the report what was seen."""
    program = program_of(workplace)
    report.version = workplace.run(program, "--version").stdout.partition("\n")[0].strip()
    home = workplace.home / ".hermes"
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(CONFIG.format(model=MODEL, url=workplace.model.url))
    before = digests(home)
    workplace.run(*RECALL, "install", "hermes", "--yes", check=True)
    installed = digests(home)
    workplace.run(*RECALL, "uninstall", "hermes", "--yes", check=True)
    report.check("after uninstall the home is byte-identical", before == digests(home) != installed)
    workplace.run(*RECALL, "install", "hermes", "--yes", check=True)
    model = workplace.model

    model.begin(FIRST_ANSWER)
    done = workplace.run(program, "-z", FIRST_QUESTION)
    report.check("the first session is answered", FIRST_ANSWER in done.stdout, done.stdout + done.stderr)
    talk = model.talk()
    report.check("the reminder reached the model", bool(talk) and NUDGE in talk[0].text)
    model.begin(*CALLS, LAST_ANSWER)
    done = workplace.run(program, "-z", SECOND_QUESTION)
    report.check("the second session is answered", LAST_ANSWER in done.stdout, done.stdout + done.stderr)
    check_tools(report, model.talk())

    _check_search(workplace, report, program)
    _check_auto_recall(workplace, report, program)
    check_store(report, workplace, "hermes", _counts(home / "state.db"))
    _check_without_python(workplace, report, program)
    workplace.run(*RECALL, "uninstall", "hermes", "--yes", check=True)
    left = [name for name in digests(home) if name.startswith("plugins")]
    same = digests(home).get("config.yaml") == before["config.yaml"]
    report.check("after all this uninstall leaves nothing of ours", same and not (home / "plugins").exists(), left)


def _check_search(workplace: Workplace, report: Report, program: Path) -> None:
    """Check the shapes of session_search: what it finds, reads and lists, and what only Hermes' own tool answers."""
    calls = [
        Call("session_search", {"query": f"{WORD[:-1]} limiter"}),  # one letter is missing
        Call("session_search", {}),
        Call("session_search", {"query": WORD, "sort": "newest"}),
    ]
    workplace.model.begin(*calls, LAST_ANSWER)
    workplace.run(program, "-z", "Look for it.")
    talk = workplace.model.talk()
    answers = [json.loads(each) for each in talk[-1].answers] if talk else []
    if not report.check("session_search is answered in each shape", len(answers) == len(calls), answers):
        return
    found, listed, own = answers
    hits = found.get("results", [])
    seen = json.dumps(found)
    report.check("its search is ours", found.get("trust") == "untrusted-history" and "burst of 42" in seen, seen)
    report.check("its list is ours", "trust" in listed and listed.get("mode") == "browse", json.dumps(listed))
    report.check("sorted searches stay Hermes' own", own.get("success") is True and "trust" not in own, json.dumps(own))
    if not hits:
        return
    session, anchor = hits[0]["session_id"], hits[0]["match_message_id"]
    calls = [
        Call("session_search", {"session_id": session, "around_message_id": anchor}),
        Call("session_search", {"session_id": session}),
    ]
    workplace.model.begin(*calls, LAST_ANSWER)
    workplace.run(program, "-z", "Read on.")
    talk = workplace.model.talk()
    answers = [json.loads(each) for each in talk[-1].answers] if talk else [{}, {}]
    messages = {each["id"]: each["content"] for each in answers[0].get("messages", [])}
    hit = next((each["content"] for each in hits[0]["messages"] if each.get("anchor")), None)
    report.check(
        "a hit is read on from its number", hit is not None and messages.get(anchor) == hit, json.dumps(answers)
    )
    report.check("a whole session is read by Hermes itself", answers[-1].get("mode") == "read", json.dumps(answers))


def _check_auto_recall(workplace: Workplace, report: Report, program: Path) -> None:
    """Turn auto recall on, and ask for what was said before."""
    workplace.variables["RECALL_RANK_HERMES"] = json.dumps({"autoRecall": True})
    for number in range(8):  # what comes behind its deadline is left out
        workplace.model.begin(LAST_ANSWER)
        workplace.run(program, "-z", f"{SECOND_QUESTION} {number}")
        talk = workplace.model.talk()
        if found := bool(talk) and "<recall-auto>" in talk[0].text:
            break
    del workplace.variables["RECALL_RANK_HERMES"]
    report.check("auto recall reached the model with the first request", found, f"{number + 1} sessions")
    seen = workplace.run(*RECALL, "search", "recall-auto", "--history", "hermes", "--match", "literal", "--json").stdout
    report.check("what the hooks added is not found as said", json.loads(seen)["results"] == [], seen)


def _check_without_python(workplace: Workplace, report: Report, program: Path) -> None:
    """With no program behind the plugin, Hermes' own tool answers, and its log says why."""
    settings = workplace.home / ".hermes/plugins/recall_rank/recall-rank.json"
    installed = settings.read_text()
    settings.write_text(json.dumps({**json.loads(installed), "command": ["/nowhere/recall-rank"]}))
    workplace.model.begin(Call("session_search", {"query": WORD}), LAST_ANSWER)
    done = workplace.run(program, "chat", "-Q", "-q", SECOND_QUESTION)  # with -z it keeps no log
    settings.write_text(installed)
    talk = workplace.model.talk()
    answers = [json.loads(each) for each in talk[-1].answers] if talk else []
    report.check("without our program the host answers", LAST_ANSWER in done.stdout, done.stderr)
    own = bool(answers) and answers[0].get("success") is True and "trust" not in answers[0] and answers[0]["results"]
    report.check("and its own session_search does", bool(own), answers)
    log = (workplace.home / ".hermes/logs/agent.log").read_text().splitlines()
    lines = [line for line in log if "recall-rank: it is not running" in line]
    report.check("and one line of its log says so", len(lines) == 1, lines)


def _counts(database: Path) -> dict[str, int]:
    """The numbers of sessions and messages in the store, counted without our loader: an answer of a tool is part of
    the call that it answers.
    """
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
        (sessions,) = connection.execute("SELECT count(*) FROM sessions").fetchone()
        (said,) = connection.execute("SELECT count(*) FROM messages WHERE role IN ('user', 'assistant')").fetchone()
    return {"sessions": int(sessions), "messages": int(said)}
