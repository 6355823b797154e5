"""Hermes: a plugin that answers its session_search, with more tools and hooks, and its name in config.yaml."""

from __future__ import annotations

from typing import Any, Final

from recall_rank.frontends.hosts.config_entries import PLUGIN_ENTRY
from recall_rank.frontends.hosts.host import YAML, Host, Launch, ShippedFile, below

_FAMILIES: Final = ("recall", "session_search", "session_recall")
_HOOKS: Final = ("nudge", "autoRecall")
_FOLDER: Final = PLUGIN_ENTRY["item"]
_FILES: Final = ("plugin.yaml", "__init__.py", "recall_process.py", "session_form.py", "tools.json")


def _options(launch: Launch, hooks: bool) -> dict[str, Any]:
    off = {} if hooks else dict.fromkeys(_HOOKS, False)
    return {"command": list(launch.program), "families": list(launch.families or _FAMILIES), **off}


HOST: Final = Host(
    name="hermes",
    programs=("hermes",),
    user=lambda environ, home: below(environ, "HERMES_HOME", home, ".hermes", "config.yaml", files="plugins"),
    project=None,
    syntax=YAML,
    path=("plugins", "enabled"),
    entry=lambda _: dict(PLUGIN_ENTRY),
    files=(
        *(ShippedFile(f"hermes/{name}", f"{_FOLDER}/{name}") for name in _FILES),
        ShippedFile("", f"{_FOLDER}/recall-rank.json", written=_options),
    ),
    folder=".hermes",
)
