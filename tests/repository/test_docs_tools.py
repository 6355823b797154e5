"""The page of the tools and the tools themselves name the same arguments, options and defaults."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields

import pytest

from recall_rank.frontends.hooks import prompt_blocks
from recall_rank.frontends.hooks.hook_calls import HOOKS
from recall_rank.frontends.host_options import HostOptions
from recall_rank.frontends.tools.dispatch import TOOLS
from tests.repository.test_docs import names, page, rows

TEXT = page("docs/tools.md")
SECTIONS = dict(re.findall(r"^## (\w+)$(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("tool", TOOLS)
def test_every_argument_stands_in_the_section_of_its_tool(tool: str) -> None:
    listed = names(SECTIONS[tool]) | (
        {"before", "after", "last", "since", "until", "from", "to"} if tool == "recall" else set()
    )
    if tool == "recall":
        assert "the times" in SECTIONS[tool]
    assert {parameter.name for parameter in TOOLS[tool].parameters(HostOptions())} <= listed


def test_every_option_of_the_host_stands_with_its_default() -> None:
    table = {name: cells[1] for cells in rows(TEXT, "Options of the host") for name in names(cells[0])}
    assert sorted(table) == sorted(field.name.rstrip("_") for field in fields(HostOptions))
    for field in fields(HostOptions):
        default = "none" if field.default is None else str(field.default).lower()
        assert table[field.name.rstrip("_")].strip("`") == default, field.name


@pytest.mark.parametrize("hook", [prompt_blocks.nudge, prompt_blocks.auto_recall, prompt_blocks.compaction_recall])
def test_every_hook_and_its_options_are_named(hook: object) -> None:
    assert callable(hook)
    section = SECTIONS["Hooks"]
    assert f"`{hook.__name__}(" in section
    options = [name for name, each in inspect.signature(hook).parameters.items() if each.kind is each.KEYWORD_ONLY]
    assert set(options) <= names(section)


def test_defaults_of_the_hooks_are_those_of_the_page() -> None:
    defaults = {name: each.default for name, each in inspect.signature(prompt_blocks.auto_recall).parameters.items()}
    (table,) = re.findall(r"^\| option of `auto_recall`.*\n\|.*\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    for line in table.splitlines():
        options, listed, _ = re.split(r"\s*\|\s*", line.strip())[1:-1]
        for name, value in zip(sorted(names(options), key=options.index), listed.split(", "), strict=True):
            expected = "the clock" if name == "now" else str(defaults[name])
            assert value.strip("`") == expected, name


def test_every_call_of_a_hook_is_named() -> None:
    assert all(name in SECTIONS["Hooks"] for name in HOOKS)
