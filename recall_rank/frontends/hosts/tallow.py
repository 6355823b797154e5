"""tallow: the extension of pi, in the folder form of tallow's extensions."""

from __future__ import annotations

from typing import Final

from recall_rank.frontends.hosts.host import Host, HostPlace, ShippedFile, below

HOST: Final = Host(
    name="tallow",
    programs=("tallow",),
    user=lambda environ, home: below(environ, "TALLOW_CODING_AGENT_DIR", home, ".tallow", files="extensions"),
    project=lambda project: HostPlace(project, files=".tallow/extensions"),
    files=(
        ShippedFile("tallow/extension.json", "recall-rank/extension.json"),
        ShippedFile("pi/recall-rank.ts", "recall-rank/index.ts"),
    ),
    folder=".tallow",
)
