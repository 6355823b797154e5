"""Codex: a table in config.toml and hooks in hooks.json, of the user or of a project that the user trusts."""

from __future__ import annotations

from typing import Final

from recall_rank.frontends.hosts.host import MOST_SECONDS, TOML, Host, HostPlace, below, command_and_args

HOST: Final = Host(
    name="codex",
    programs=("codex",),
    user=lambda environ, home: below(environ, "CODEX_HOME", home, ".codex", "config.toml", hooks="hooks.json"),
    project=lambda project: HostPlace(project, (".codex/config.toml",), hooks=".codex/hooks.json"),
    syntax=TOML,
    path=("mcp_servers",),
    # With `required`, Codex waits for a server that needs over a second, but does not start where the program is gone.
    entry=lambda launch: {**command_and_args(launch), "startup_timeout_sec": 30},
    hooks=dict.fromkeys(("SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd"), MOST_SECONDS),
    folder=".codex",
    project_remarks=("a project's config.toml and hooks.json are read only where Codex trusts the project",),
    hook_remarks=("Codex skips a hook without a word until you have trusted it: open /hooks in Codex",),
)
