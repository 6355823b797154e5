"""tallow: the extension of pi, in the folder form of tallow's extensions."""

from __future__ import annotations

from typing import Final

from recall_rank.frontends.hosts.host import Host, HostPlace, ShippedFile, below
from recall_rank.frontends.hosts.pi import EXTENSION, extension_options

HOST: Final = Host(
    name="tallow",
    programs=("tallow",),
    user=lambda environ, home: below(environ, "TALLOW_CODING_AGENT_DIR", home, ".tallow", files="extensions"),
    project=lambda project: HostPlace(project, files=".tallow/extensions"),
    files=(
        ShippedFile("tallow/extension.json", "recall-rank/extension.json"),
        ShippedFile(EXTENSION, "recall-rank/index.ts"),
        ShippedFile("", "recall-rank/recall-rank.json", written=extension_options),
    ),
    folder=".tallow",
)
