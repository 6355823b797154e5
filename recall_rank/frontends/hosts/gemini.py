"""Gemini CLI: an entry in settings.json, and an extension with hooks, a reminder and a slash command.

The extension has no server of its own: Gemini CLI takes "trust" from settings only. It loads extensions of the user
only, so that in a project the hooks are in settings.json and nothing reminds the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from recall_rank.frontends.hosts.file_parts import hook_groups
from recall_rank.frontends.hosts.host import (
    MOST_SECONDS,
    PROJECT,
    USER,
    Host,
    HostPlace,
    Launch,
    ShippedFile,
    below,
    command_and_args,
)

_EXTENSION: Final = "extensions/recall-rank"


def _user(environ: Mapping[str, str], home: Path) -> HostPlace:
    """Return the user's place: `.gemini` in the home folder, or in the folder that GEMINI_CLI_HOME names instead."""
    named = environ.get("GEMINI_CLI_HOME", "")
    return below(environ, "", Path(named).absolute() if named else home, ".gemini", "settings.json", files=".")


def _hooks(launch: Launch, _: bool) -> dict[str, Any]:
    """Return the hooks of the extension, in the form of those in settings.json."""
    return {"hooks": {event: [group] for event, group in hook_groups(HOST, launch).items()}}


HOST: Final = Host(
    name="gemini",
    programs=("gemini",),
    user=_user,
    project=lambda project: HostPlace(project, (".gemini/settings.json",), ".gemini", ".gemini/settings.json"),
    # Headless, Gemini CLI does not offer the tools of a server that is not trusted. Ours only read.
    entry=lambda launch: {**command_and_args(launch), "trust": True},
    hooks=dict.fromkeys(("SessionStart", "BeforeAgent", "SessionEnd"), MOST_SECONDS * 1000),  # milliseconds
    hook_comments=True,
    files=(
        ShippedFile("gemini/gemini-extension.json", f"{_EXTENSION}/gemini-extension.json", scope=USER),
        ShippedFile(
            "",
            f"{_EXTENSION}/hooks/hooks.json",
            is_hook=True,
            written=_hooks,
            scope=USER,
        ),
        ShippedFile("gemini/recall-rank.md", f"{_EXTENSION}/recall-rank.md", is_hook=True, scope=USER),
        ShippedFile("gemini/recall.toml", f"{_EXTENSION}/commands/recall.toml", scope=USER),
        ShippedFile("gemini/recall.toml", "commands/recall.toml", scope=PROJECT),
    ),
    folder=".gemini",
    remarks=('"trust": true lets Gemini CLI call the tools, which only read, without asking; headless it needs that',),
    project_remarks=("a project's settings.json and commands are read only where Gemini CLI trusts the folder",),
)
