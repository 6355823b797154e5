"""pi: an extension with the tools; pi has no MCP."""

from __future__ import annotations

from typing import Final

from recall_rank.frontends.hosts.host import Host, HostPlace, ShippedFile, below

HOST: Final = Host(
    name="pi",
    programs=("pi",),
    user=lambda environ, home: below(environ, "PI_CODING_AGENT_DIR", home, ".pi/agent", files="extensions"),
    project=lambda project: HostPlace(project, files=".pi/extensions"),
    files=(ShippedFile("pi/recall-rank.ts", "recall-rank.ts"),),
    folder=".pi/agent",
)
