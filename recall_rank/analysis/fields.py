"""The searchable fields of a part, and the names of the recall tools, whose parts are not searchable."""

from __future__ import annotations

import enum
import re
from functools import lru_cache

from recall_rank._core.text.fields import fields
from recall_rank.model import Flag, Part

# The tools of the recall frontends: their output repeats earlier results and must never be found itself.
RECALL_TOOLS = (
    *("recall", "recall_get", "recall_context", "recall_messages", "recall_sessions"),
    *("session_search", "session_recall"),
)
_RECALL_TOOL = re.compile(r"(?:^|[._/-])(?:" + "|".join(RECALL_TOOLS) + r")$")


class Field(enum.IntEnum):
    """A searchable field of a part, such as its text or the output of a tool.

    The value is the byte that begins the field in the text of a segment; no UTF-8 text contains that byte.
    """

    TEXT = 0xF8
    OUTPUT = 0xF9
    ERROR = 0xFA
    COMMAND = 0xFB
    INPUT = 0xFC
    TOOL_TITLE = 0xFD
    PROMPT = 0xFE
    CWD = 0xFF


FIELD_NAMES = {
    Field.TEXT: "text",
    Field.OUTPUT: "stdout",
    Field.ERROR: "stderr",
    Field.COMMAND: "command",
    Field.INPUT: "input",
    Field.TOOL_TITLE: "tool_name",
    Field.PROMPT: "text",
    Field.CWD: "cwd",
}

_FIELDS = {int(field): field for field in Field}  # a dict look-up is quicker than the call of an Enum


@lru_cache(maxsize=1024)
def is_recall_tool(name: str | None) -> bool:
    """Return whether `name` is a recall tool, with or without a namespace: mcp__x__recall is one, myrecall is none."""
    return name is not None and _RECALL_TOOL.search(name) is not None


def searchable_fields(part: Part) -> list[tuple[Field, str]]:
    """Return the fields of a part that are indexed, in order, as (field, text).

    Empty for a part of a recall tool and for one with the flag UNSEARCHED.
    """
    hidden = part.flags & Flag.UNSEARCHED or is_recall_tool(part.tool)
    return [] if hidden else [(_FIELDS[label], value) for label, value in fields(part)]
