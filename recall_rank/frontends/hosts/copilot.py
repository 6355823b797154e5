"""Copilot CLI: an entry in ~/.copilot/mcp-config.json with hooks and a skill, or in the .github/mcp.json of a project.

Copilot also runs a project's hooks on its maker's machines, which do not have this program: a project gets none.
"""

from __future__ import annotations

from typing import Any, Final

from recall_rank.frontends.hosts.events.hook_settings import hook_command
from recall_rank.frontends.hosts.host import (
    MOST_SECONDS,
    USER,
    Host,
    HostPlace,
    Launch,
    ShippedFile,
    below,
    command_and_args,
)

_EVENTS: Final = ("sessionStart", "userPromptSubmitted", "sessionEnd")


def _hooks(launch: Launch, _: bool) -> dict[str, Any]:
    """Return a file of hooks in the form of Copilot CLI."""
    hooks = {
        event: [{"type": "command", "bash": hook_command(launch.program, "copilot", event), "timeoutSec": MOST_SECONDS}]
        for event in _EVENTS
    }
    return {"version": 1, "hooks": hooks}


HOST: Final = Host(
    name="copilot",
    programs=("copilot",),
    user=lambda environ, home: below(environ, "COPILOT_HOME", home, ".copilot", "mcp-config.json", files="."),
    project=lambda project: HostPlace(project, (".github/mcp.json",)),
    entry=lambda launch: {"type": "local", **command_and_args(launch), "tools": ["*"]},
    files=(
        ShippedFile("", "hooks/recall-rank.json", is_hook=True, written=_hooks, scope=USER),
        ShippedFile("copilot/SKILL.md", "skills/recall/SKILL.md", scope=USER),
    ),
    folder=".copilot",
    project_remarks=("a project's file is read only where the folder is trusted; `copilot -p` needs --trust-folder",),
)
