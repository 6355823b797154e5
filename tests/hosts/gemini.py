"""Gemini CLI with our MCP entry and extension, installed by our own command: sessions by `gemini -p`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

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
    check_hooks,
    check_project,
    check_resumed,
    check_store,
    check_tools,
    check_undone,
    check_without_us,
    wait_for_index,
    without_ours,
)

_SETTINGS: Final = """{
  // Of the person.
  "security": {"auth": {"selectedType": "gemini-api-key"}}
}
"""


def configure(workplace: Workplace) -> None:
    """Point Gemini CLI at the stub model."""
    workplace.variables |= {
        "GOOGLE_GEMINI_BASE_URL": workplace.model.url,
        "GEMINI_API_KEY": "none",
        "GEMINI_MODEL": "gemini-2.5-flash",  # a name that it knows
        "GEMINI_CLI_TRUST_WORKSPACE": "true",  # headless it refuses any other folder
    }
    settings = workplace.home / ".gemini/settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(_SETTINGS, encoding="utf-8")


def drive(workplace: Workplace, report: Report) -> None:
    """Drive Gemini CLI, and add to the report what was seen."""
    program = workplace.npm("@google/gemini-cli", "gemini")
    report.version = workplace.run(program, "--version").stdout.strip()
    configure(workplace)
    check_undone(report, workplace, "gemini")
    before = workplace.edited_files("gemini")
    model = workplace.model

    model.begin(FIRST_ANSWER)
    done = workplace.run(program, "-p", FIRST_QUESTION)
    report.check("the first session is answered", FIRST_ANSWER in done.stdout, done.stdout + done.stderr)
    report.check("the first session is indexed when it ends", wait_for_index(workplace, "burst of 42"))

    model.begin(*CALLS, LAST_ANSWER)
    done = workplace.run(program, "-p", SECOND_QUESTION)
    report.check("the second session is answered", LAST_ANSWER in done.stdout, done.stdout + done.stderr)
    talk = model.talk()
    check_tools(report, talk)
    check_hooks(report, workplace, talk)

    model.begin(CALLS[2], LAST_ANSWER)
    workplace.run(program, "--resume", "latest", "-p", "Go on.")
    check_resumed(report, model.talk())

    model.begin(LAST_ANSWER)
    workplace.run(program, "-p", f"/recall {WORD}")
    asked = [each.text for each in model.talk()]
    seen = asked[-1][-300:] if asked else "no request"
    report.check("the slash command asks for a recall", any(f"`recall` with `{WORD}`" in text for text in asked), seen)

    check_store(report, workplace, "gemini-cli", _counts(workplace))
    with without_ours(workplace):
        model.begin(LAST_ANSWER)
        done = workplace.run(program, "-p", SECOND_QUESTION)
        report.check("without our program the host answers", LAST_ANSWER in done.stdout, done.stderr)
    workplace.uninstall("gemini")
    check_gone(report, workplace, before)
    model.begin(LAST_ANSWER)
    workplace.run(program, "-p", SECOND_QUESTION)
    check_without_us(report, model.talk())
    check_project(report, workplace, "gemini", [program, "-p"])


def _counts(workplace: Workplace) -> dict[str, int]:
    """The numbers of sessions and messages in the store, counted without our loader: what tools answered is stored as
    messages of the user, and belongs to those of the calls.
    """
    chats = sorted((workplace.home / ".gemini/tmp").glob("*/chats/*.jsonl"))
    return {"sessions": len(chats), "messages": sum(len(_messages(chat)) for chat in chats)}


def _messages(chat: Path) -> set[str]:
    """The ids of the messages of a conversation that say or call something."""
    found = set()
    for line in chat.read_text("utf-8").splitlines():
        record = json.loads(line)
        listed = record.get("$set", {}).get("messages", [record] if "content" in record else [])
        for message in listed:
            content = message["content"] if isinstance(message["content"], list) else [message["content"]]
            said = [each for each in content if each and "functionResponse" not in each]
            if said or message.get("toolCalls"):
                found.add(message["id"])
    return found
