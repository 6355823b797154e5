"""The searchable fields of a part, and the tools whose parts have none."""

from __future__ import annotations

import pytest

from recall_rank.analysis.fields import RECALL_TOOLS, Field, is_recall_tool, searchable_fields
from recall_rank.model import Part


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        pytest.param(Part("p", "text"), [], id="nothing"),
        pytest.param(Part("p", "text", text=""), [], id="an empty text is no field"),
        pytest.param(Part("p", "text", text="hi"), [(Field.TEXT, "hi")], id="text"),
        pytest.param(
            Part("p", "subtask", text="survey", prompt="list all"),
            [(Field.TEXT, "survey"), (Field.PROMPT, "list all")],
            id="a subtask's description comes before its prompt",
        ),
        pytest.param(
            Part("p", "tool", tool="bash", input={"command": "ls", "cwd": "/a", "timeout": 5}, output="b.py"),
            [(Field.COMMAND, "ls"), (Field.CWD, "/a"), (Field.OUTPUT, "b.py")],
            id="command and folder are fields of their own, said once",
        ),
        pytest.param(
            Part("p", "tool", tool="bash", input={"command": ["ls", "-l"], "cwd": None}),
            [(Field.INPUT, "ls"), (Field.INPUT, "-l")],
            id="a command that is a list is input",
        ),
        pytest.param(
            Part("p", "tool", tool="bash", input={"command": "  ", "cwd": ""}), [], id="a blank command is no field"
        ),
        pytest.param(
            Part(
                "p", "tool", tool="edit", input={"path": "a.py", "edits": [{"old": "x", "new": "y"}]}, title="Edit a.py"
            ),
            [(Field.INPUT, "a.py"), (Field.INPUT, "x"), (Field.INPUT, "y"), (Field.TOOL_TITLE, "Edit a.py")],
            id="every string inside the input, in order",
        ),
        pytest.param(
            Part("p", "tool", tool="bash", input="raw words", error="boom", output="half"),
            [(Field.INPUT, "raw words"), (Field.ERROR, "boom"), (Field.OUTPUT, "half")],
            id="an error comes before the output",
        ),
        pytest.param(
            Part("p", "tool", tool="recall", input={"query": "x"}, output="y"), [], id="recall finds no recall"
        ),
    ],
)
def test_fields(part: Part, expected: list[tuple[Field, str]]) -> None:
    assert searchable_fields(part) == expected


def test_a_field_begins_with_a_byte_that_no_text_holds() -> None:
    assert all(label >= 0xF8 for label in Field)
    assert not {byte for char in "aé漢😀\U0010ffff" for byte in char.encode()} & set(Field)


@pytest.mark.parametrize("name", RECALL_TOOLS)
@pytest.mark.parametrize("prefix", ["", "mcp__memory__", "server.", "host/", "host-"])
def test_a_recall_tool_is_known_under_every_namespace(prefix: str, name: str) -> None:
    assert is_recall_tool(prefix + name)


@pytest.mark.parametrize(
    "name", [None, "", "myrecall", "recaller", "recall_all", "xrecall_get", "recall_get2", "Recall"]
)
def test_other_tools_are_not_recall_tools(name: str | None) -> None:
    assert not is_recall_tool(name)
