"""pi: an extension with tools and hooks; pi has no MCP."""

from __future__ import annotations

from typing import Any, Final

from recall_rank.frontends.hosts.host import Host, HostPlace, Launch, ShippedFile, below

EXTENSION: Final = "pi/recall-rank.ts"
_FAMILIES: Final = ("recall", "session_recall")  # those that the extension has
_HOOKS: Final = ("nudge", "autoRecall")


def extension_options(launch: Launch, hooks: bool) -> dict[str, Any]:
    """Return the options of the extension: its program, its tools, its hooks turned off where they are not wanted."""
    families = [each for each in _FAMILIES if not launch.families or each in launch.families]
    off = {} if hooks else dict.fromkeys(_HOOKS, False)
    return {"command": list(launch.program), "families": families, **off}


HOST: Final = Host(
    name="pi",
    programs=("pi",),
    user=lambda environ, home: below(environ, "PI_CODING_AGENT_DIR", home, ".pi/agent", files="extensions"),
    project=lambda project: HostPlace(project, files=".pi/extensions"),
    files=(
        ShippedFile(EXTENSION, "recall-rank.ts"),
        ShippedFile("", "recall-rank.json", written=extension_options),
    ),
    folder=".pi/agent",
)
