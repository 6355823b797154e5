"""The tables of tools in the plugins for OpenCode and Hermes, made from this package's parameters and descriptions.

`python -m tests.frontends.hosts.plugin_tools --write` writes them anew.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import recall_rank
from recall_rank.frontends.host_options import HostOptions
from recall_rank.frontends.mcp.descriptions import ARGUMENTS, DESCRIPTIONS
from recall_rank.frontends.tools.dispatch import TOOLS
from recall_rank.frontends.tools.families import FAMILIES
from recall_rank.frontends.tools.parameters import Parameter
from recall_rank.model.camel_case import camel

PACKAGE: Final = Path(recall_rank.__file__).parent
PLUGIN: Final = PACKAGE / "frontends/hosts/files/opencode/recall-rank.ts"
HERMES_TABLE: Final = PACKAGE / "frontends/hosts/files/hermes/tools.json"
NAMES: Final = ("recall", "recall_get", "recall_context", "recall_messages", "recall_sessions")
# Parameters of our own, which the original tool does not have.
OWN: Final = ("project", "exclude_session_ids", "must", "must_not", "order", "offset", "fold", "budget_ms")
BEGIN: Final = "// tools: begin\n"
END: Final = "// tools: end\n"
_SNAKE: Final = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")


def tools_table() -> dict[str, Any]:
    """Return the tools as the plugin of OpenCode registers them: name -> description, properties, required ones."""
    found: dict[str, Any] = {}
    for name in NAMES:
        described = _described(name, camel, _camel_words)
        found[name] = {
            "description": _camel_words(DESCRIPTIONS[name]),
            "properties": described,
            "required": [camel(each.name) for each in _parameters(name) if each.required],
        }
    return found


def hermes_table() -> dict[str, Any]:
    """Return the tools as the plugin of Hermes registers them: family -> name -> schema of the tool."""
    families: dict[str, Any] = {}
    for family in ("recall", "session_recall"):
        families[family] = {
            name: {
                "name": name,
                "description": DESCRIPTIONS[name],
                "parameters": {
                    "type": "object",
                    "properties": _described(name, str, str),
                    "required": [each.name for each in _parameters(name) if each.required],
                },
            }
            for name in FAMILIES[family]
        }
    return {"about": "The tools of recall_rank in Hermes (put here by recall-rank install)", "families": families}


def _parameters(tool: str) -> list[Parameter]:
    return [each for each in TOOLS[tool].parameters(HostOptions()) if tool != "recall" or each.name not in OWN]


def _described(tool: str, spelled: Callable[[str], str], words: Callable[[str], str]) -> dict[str, Any]:
    return {spelled(each.name): schema(tool, each, words) for each in _parameters(tool)}


def schema(tool: str, parameter: Parameter, worded: Callable[[str], str]) -> dict[str, Any]:
    """Return the JSON Schema of a parameter, without a list of types: some hosts refuse one."""
    words = ARGUMENTS.get(f"{tool}.{parameter.name}", ARGUMENTS[parameter.name])
    described = {"description": worded(words)}
    if parameter.default is not None and parameter.default != ():
        described["default"] = parameter.default
    match parameter.type:
        case "choice":
            return {"type": "string", "enum": list(parameter.choices), **described}
        case "flag":
            return {"type": "boolean", **described}
        case "text" | "time":
            least = {"minLength": 1} if parameter.required else {}
            return {"type": "string", **least, **described}
        case "instant":
            return {"anyOf": [{"type": "string"}, {"type": "number"}], **described}
        case "window":
            return {"anyOf": [_whole(parameter), {"type": "string", "enum": ["auto"]}], **described}
        case _:
            return {**_whole(parameter), **described}


def _whole(parameter: Parameter) -> dict[str, Any]:
    most = parameter.high if parameter.cap is None else parameter.cap
    return {"type": "integer", "minimum": parameter.low, **({} if most is None else {"maximum": most})}


def _camel_words(text: str) -> str:
    """Return the text with the names of arguments in the camel case of the original tools."""
    return _SNAKE.sub(lambda found: found[0] if found[0] in NAMES else camel(found[0]), text)


def written_table(text: str) -> dict[str, Any]:
    """Return the table that stands in the text of the plugin."""
    block = text.split(BEGIN)[1].split(END, maxsplit=1)[0]
    read: dict[str, Any] = json.loads(block.removeprefix("const TOOLS = "))
    return read


def main() -> None:
    """Print the table of OpenCode's plugin, or write both tables."""
    block = f"const TOOLS = {json.dumps(tools_table(), indent=2)}\n"
    if "--write" not in sys.argv:
        print(block, end="")
        return
    text = PLUGIN.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    PLUGIN.write_text(before + BEGIN + block + END + rest.partition(END)[2], encoding="utf-8")
    HERMES_TABLE.write_text(json.dumps(hermes_table(), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
