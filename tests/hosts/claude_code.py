"""Claude Code with the plain MCP entry: two sessions by `claude -p`."""

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


def install(workplace: Workplace) -> str:
    """Write the MCP entry into a file, and return its path. To be swapped for `recall-rank install claude-code`."""
    entry = {
        "command": RECALL[0],
        "args": [*RECALL[1:], "mcp"],
        "env": {"PYTHONPATH": workplace.environment["PYTHONPATH"]},
    }
    place = workplace.home / "mcp.json"
    place.write_text(json.dumps({"mcpServers": {"recall-rank": entry}}))
    return str(place)


def drive(workplace: Workplace, report: Report) -> None:
    """Drive Claude Code, and add to the report what was seen."""
    program = workplace.npm("@anthropic-ai/claude-code", "claude")
    report.version = workplace.run(program, "--version").stdout.strip()
    workplace.variables |= {
        "ANTHROPIC_BASE_URL": workplace.model.url,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "ENABLE_TOOL_SEARCH": "false",  # so that the schemas are in the first request
    }
    entry = install(workplace)
    command: list[str | Path] = [
        program,
        "--model",
        MODEL,
        "--mcp-config",
        entry,
        "--allowedTools",
        "mcp__recall-rank",
        "-p",
    ]
    workplace.model.begin(FIRST_ANSWER)
    done = workplace.run(*command, FIRST_QUESTION)
    report.check("the first session is answered", FIRST_ANSWER in done.stdout, done.stdout + done.stderr)
    # Over MCP nothing says which session asks: the calls that need it are left to the plugin.
    named = [CALLS[0], Call("recall_sessions", {"scope": "global"}), CALLS[0]]
    workplace.model.begin(*named, LAST_ANSWER)
    done = workplace.run(*command, SECOND_QUESTION)
    report.check("the second session is answered", LAST_ANSWER in done.stdout, done.stdout + done.stderr)
    check_tools(report, workplace.model.talk(), own_session=False)
    check_store(report, workplace, "claude-code", {"sessions": 2})
