"""Codex with the plain MCP entry: two sessions by `codex exec`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.hosts.harness import (
    CALLS,
    FIRST_ANSWER,
    FIRST_QUESTION,
    LAST_ANSWER,
    RECALL,
    SECOND_QUESTION,
    Report,
    Workplace,
    check_store,
    check_tools,
)
from tests.hosts.stub_model import MODEL, Call


def install(workplace: Workplace) -> None:
    """Write the MCP entry into the settings. To be swapped for `recall-rank install codex`."""
    python = json.dumps({"PYTHONPATH": workplace.environment["PYTHONPATH"]}).replace(":", " =", 1)
    entry = f"""
[mcp_servers.recall-rank]
command = {json.dumps(RECALL[0])}
args = {json.dumps([*RECALL[1:], "mcp"])}
env = {python}
required = true
"""
    with (workplace.home / ".codex/config.toml").open("a") as file:
        file.write(entry)


def drive(workplace: Workplace, report: Report) -> None:
    """Drive Codex, and add to the report what was seen."""
    program = workplace.npm("@openai/codex", "codex")
    report.version = workplace.run(program, "--version").stdout.strip()
    (workplace.home / ".codex").mkdir()
    (workplace.home / ".codex/config.toml").write_text(f"""\
model = {json.dumps(MODEL)}
model_provider = "stub"

[model_providers.stub]
name = "Stub"
base_url = {json.dumps(workplace.model.url + "/v1")}
wire_api = "responses"
""")
    install(workplace)
    command: list[str | Path] = [program, "exec", "--skip-git-repo-check"]
    workplace.model.begin(FIRST_ANSWER)
    done = workplace.run(*command, FIRST_QUESTION)
    report.check("the first session is answered", FIRST_ANSWER in done.stdout, done.stdout + done.stderr)
    # Over MCP nothing says which session asks.
    named = [CALLS[0], Call("recall_sessions", {"scope": "global"}), CALLS[0]]
    workplace.model.begin(*named, LAST_ANSWER)
    done = workplace.run(*command, SECOND_QUESTION)
    report.check("the second session is answered", LAST_ANSWER in done.stdout, done.stdout + done.stderr)
    check_tools(report, workplace.model.talk(), own_session=False)
    check_store(report, workplace, "codex", {"sessions": 2})
