"""OpenCode: a plugin with the recall tools and the hooks; other families of tools by an entry in opencode.json."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from recall_rank.frontends.hosts.host import Host, HostPlace, Launch, ShippedFile, below

_CONFIG: Final = ("opencode.jsonc", "opencode.json")
_OF_PLUGIN: Final = "recall"  # the family that the plugin offers
_HOOKS: Final = ("nudge", "autoRecall", "compactionRecall")


def _entry(launch: Launch) -> dict[str, Any] | None:
    others = tuple(each for each in launch.families if each != _OF_PLUGIN)
    if not others:
        return None
    return {"type": "local", "command": list(replace(launch, families=others).server), "enabled": True}


def _options(launch: Launch, hooks: bool) -> dict[str, Any]:
    """Return the options of the plugin. Two of its three hooks are off by default, as in the original's contract."""
    return {"command": list(launch.program), **dict.fromkeys(_HOOKS, hooks)}


HOST: Final = Host(
    name="opencode",
    programs=("opencode",),
    user=lambda environ, home: below(
        environ,
        "XDG_CONFIG_HOME",
        home,
        ".config",
        *(f"opencode/{name}" for name in _CONFIG),
        files="opencode/plugins",
    ),
    project=lambda project: HostPlace(project, _CONFIG, ".opencode/plugins"),
    path=("mcp",),
    entry=_entry,
    files=(
        ShippedFile("opencode/recall-rank.ts", "recall-rank.ts"),
        ShippedFile("", "recall-rank.json", written=_options),
    ),
    folder=".config/opencode",
)
