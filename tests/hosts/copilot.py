"""Copilot CLI with our MCP entry, hooks and skill, installed by our own command: sessions by `copilot -p`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.hosts.harness import (
    CALLS,
    FIRST_ANSWER,
    FIRST_QUESTION,
    LAST_ANSWER,
    SECOND_QUESTION,
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
from tests.hosts.stub_model import MODEL


def configure(workplace: Workplace) -> None:
    """Point Copilot CLI at the stub model, as a provider of the person's own: it needs no account then."""
    workplace.variables |= {
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_PROVIDER_BASE_URL": f"{workplace.model.url}/v1",
        "COPILOT_MODEL": MODEL,
    }
    servers = workplace.home / ".copilot/mcp-config.json"
    servers.parent.mkdir(exist_ok=True)
    servers.write_text('{"mcpServers": {}}', encoding="utf-8")


def drive(workplace: Workplace, report: Report) -> None:
    """Drive Copilot CLI, and add to the report what was seen."""
    program = workplace.npm("@github/copilot", "copilot")
    report.version = workplace.run(program, "--version").stdout.splitlines()[0].rpartition(" ")[2].rstrip(".")
    configure(workplace)
    check_undone(report, workplace, "copilot")
    before = workplace.edited_files("copilot")
    model = workplace.model
    command: list[str | Path] = [program, "--allow-all-tools", "-p"]

    model.begin(FIRST_ANSWER)
    done = workplace.run(*command, FIRST_QUESTION)
    report.check("the first session is answered", FIRST_ANSWER in done.stdout, done.stdout + done.stderr)
    report.check("the first session is indexed when it ends", wait_for_index(workplace, "burst of 42"))

    model.begin(*CALLS, LAST_ANSWER)
    done = workplace.run(*command, SECOND_QUESTION)
    report.check("the second session is answered", LAST_ANSWER in done.stdout, done.stdout + done.stderr)
    talk = model.talk()
    check_tools(report, talk)
    check_hooks(report, workplace, talk)
    report.check("the skill was offered", bool(talk) and "<name>recall</name>" in talk[0].text)

    model.begin(CALLS[2], LAST_ANSWER)
    workplace.run(program, "--continue", *command[1:], "Go on.")
    check_resumed(report, model.talk())

    check_store(report, workplace, "copilot-cli", _counts(workplace))
    with without_ours(workplace):
        model.begin(LAST_ANSWER)
        done = workplace.run(*command, SECOND_QUESTION)
        report.check("without our program the host answers", LAST_ANSWER in done.stdout, done.stderr)
    workplace.uninstall("copilot")
    check_gone(report, workplace, before)
    model.begin(LAST_ANSWER)
    workplace.run(*command, SECOND_QUESTION)
    check_without_us(report, model.talk())
    check_project(report, workplace, "copilot", [program, "--trust-folder", "--allow-all-tools", "-p"])


def _counts(workplace: Workplace) -> dict[str, int]:
    """The numbers of sessions and messages in the store, counted without our loader."""
    logs = sorted((workplace.home / ".copilot/session-state").glob("*/events.jsonl"))
    kinds = [json.loads(line)["type"] for log in logs for line in log.read_text("utf-8").splitlines()]
    return {"sessions": len(logs), "messages": sum(kind.endswith(".message") for kind in kinds)}
