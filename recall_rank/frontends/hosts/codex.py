"""Codex: a table in config.toml and hooks in hooks.json, of the user or of a project that the user trusts."""

from __future__ import annotations

from typing import Final

from recall_rank.frontends.hosts.host import TOML, Host, HostPlace, below, command_and_args

HOST: Final = Host(
    name="codex",
    programs=("codex",),
    user=lambda environ, home: below(environ, "CODEX_HOME", home, ".codex", "config.toml", hooks="hooks.json"),
    project=lambda project: HostPlace(project, (".codex/config.toml",), hooks=".codex/hooks.json"),
    syntax=TOML,
    path=("mcp_servers",),
    # Without `required`, Codex asks its model without the tools of a server that needs more than a second to start.
    # With it, Codex does not start at all where the program is gone.
    entry=lambda launch: {**command_and_args(launch), "required": True, "startup_timeout_sec": 30},
    hooks={"SessionStart": 20, "UserPromptSubmit": 5, "PreCompact": 15, "SessionEnd": 10},  # seconds
    folder=".codex",
    project_remarks=("a project's config.toml and hooks.json are read only where Codex trusts the project",),
    hook_remarks=("Codex skips a hook without a word until you have trusted it: open /hooks in Codex",),
)
