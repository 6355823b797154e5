"""Claude Code: an entry in ~/.claude.json, or in the .mcp.json of a project, hooks in settings.json, slash commands.

These are the parts of the plugin in files/claude_code. `claude plugin` is not run to install it: Claude Code writes
several files of state for a plugin, and leaves them behind when it takes the plugin out.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from recall_rank.frontends.file_edits.hook_entries import parsed_settings
from recall_rank.frontends.file_edits.project_files import EditError, read_project_file
from recall_rank.frontends.hosts.host import MOST_SECONDS, Host, HostPlace, ShippedFile, below, command_and_args

_PLUGIN: Final = "recall-rank"
_COMMANDS: Final = ("recall", "recall-session", "compact-on", "compact-off", "compact-status")


def _user(environ: Mapping[str, str], home: Path) -> HostPlace:
    """Return the user's place: ~/.claude.json beside the folder ~/.claude, both inside of CLAUDE_CONFIG_DIR if set."""
    inside = "" if environ.get("CLAUDE_CONFIG_DIR") else ".claude/"
    files, hooks = f"{inside}commands/{_PLUGIN}", f"{inside}settings.json"
    return below(environ, "CLAUDE_CONFIG_DIR", home, "", ".claude.json", files=files, hooks=hooks)


def _notices(place: HostPlace) -> tuple[str, ...]:
    """Return a line about our plugin where the settings of a place have enabled it."""
    with suppress(EditError):
        data = read_project_file(place.folder, place.hooks).data
        enabled = parsed_settings(data, place.hooks).get("enabledPlugins") if data is not None else None
        for name, is_on in enabled.items() if isinstance(enabled, dict) else ():
            if name.partition("@")[0] == _PLUGIN and is_on:
                said = (
                    f"the plugin {name} is enabled, too, and offers the tools and commands a second time; its hooks say"
                )
                return (f"{said} nothing where the settings run them; `claude plugin uninstall {name}` removes it",)
    return ()


HOST: Final = Host(
    name="claude-code",
    programs=("claude",),
    user=_user,
    project=lambda project: HostPlace(
        project, (".mcp.json",), files=f".claude/commands/{_PLUGIN}", hooks=".claude/settings.json"
    ),
    entry=lambda launch: {"type": "stdio", **command_and_args(launch)},
    # Seconds. A summarizer of `recall-rank compact` may need long before a compaction.
    hooks={
        "SessionStart": MOST_SECONDS,
        "UserPromptSubmit": MOST_SECONDS,
        "PreCompact": 300,
        "SessionEnd": MOST_SECONDS,
    },
    files=tuple(ShippedFile(f"claude_code/commands/{name}.md", f"{name}.md") for name in _COMMANDS),
    folder=".claude",
    project_remarks=("Claude Code asks before it starts a server that a project's .mcp.json names",),
    notices=_notices,
)
