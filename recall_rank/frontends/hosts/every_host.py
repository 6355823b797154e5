"""The hosts into which recall-rank can be installed, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from recall_rank.frontends.hosts import claude_code, codex, copilot, cursor, gemini, hermes, opencode, pi, tallow
from recall_rank.frontends.hosts.host import Host

HOSTS: Final[Mapping[str, Host]] = {
    module.HOST.name: module.HOST
    for module in (opencode, claude_code, codex, gemini, copilot, cursor, pi, tallow, hermes)
}
