"""A stand-in for a host that loads plugins of Python: `python stand_in.py FOLDER ARGUMENTS`.

It loads the plugin as the host does, calls its tool `recall` with ARGUMENTS (JSON), prints the tools and the answer.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

NAME: Final = "loaded_plugin"  # not that of the folder: recall_rank is a package already


class PluginContext:
    """What a plugin registers: its tools are kept; everything else is accepted and not used."""

    def __init__(self) -> None:
        self.handlers: dict[str, Callable[..., str]] = {}

    def register_tool(self, name: str, toolset: str, schema: Any, handler: Callable[..., str], **_: Any) -> None:
        """Keep a tool."""
        self.handlers[name] = handler

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_args, **_named: None


def main(folder: str, arguments: str) -> None:
    """Load the plugin and call its tool."""
    place = Path(folder)
    spec = importlib.util.spec_from_file_location(NAME, place / "__init__.py", submodule_search_locations=[folder])
    if spec is None or spec.loader is None:
        raise ImportError(f"{folder} is no plugin of Python")
    plugin = sys.modules[NAME] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plugin)
    context = PluginContext()
    plugin.register(context)
    print(f"It offers {', '.join(context.handlers)}.")
    print(context.handlers["recall"](json.loads(arguments), session_id="example"))


if __name__ == "__main__":
    main(*sys.argv[1:])
