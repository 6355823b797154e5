"""The families of tools that a server offers, and those that a client does not get to know."""

from __future__ import annotations

from typing import Any

import anyio
import mcp
import pytest
from click.testing import CliRunner

from recall_rank.frontends.cli.main import cli
from recall_rank.frontends.host_options import host_options
from recall_rank.frontends.mcp.background_reading import BackgroundHistories
from recall_rank.frontends.mcp.descriptions import INSTRUCTIONS, instructions
from recall_rank.frontends.mcp.server import RecallServer
from recall_rank.frontends.tools.dispatch import TOOLS
from recall_rank.frontends.tools.families import DEFAULT_FAMILIES, FAMILIES, tools_of
from recall_rank.model import Context
from recall_rank.recall import Recall
from tests.support.frontends.harbor import Invented

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")


def test_every_tool_is_of_one_family() -> None:
    assert sorted(name for names in FAMILIES.values() for name in names) == sorted(TOOLS)
    assert tools_of(DEFAULT_FAMILIES) == FAMILIES["recall"]


@pytest.mark.parametrize("named", [(), ("recal",), ("recall", "")])
def test_a_family_that_is_none_is_refused(named: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="one or more of recall, session_search"):
        tools_of(named)


@pytest.mark.parametrize("families", [("recall",), ("session_search",), ("session_search", "recall")])
def test_a_client_knows_the_chosen_families_alone(families: tuple[str, ...]) -> None:
    histories = BackgroundHistories(Recall([Invented()]))
    there = RecallServer(histories, host_options({}), Context(directory="/home/ana/quay"), families)

    async def work() -> None:
        async with mcp.Client(there.server, mode="legacy") as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == list(tools_of(families))
            for name in TOOLS:
                if name in tools_of(families):
                    continue
                with pytest.raises(mcp.MCPError, match="Unknown tool"):
                    await client.session.call_tool(name, {"query": "gauge"})

    anyio.run(work)


def test_session_search_answers_a_client() -> None:
    histories = BackgroundHistories(Recall([Invented()]))
    there = RecallServer(histories, host_options({"redact": True}), Context(), ("session_search",))

    async def work() -> None:
        async with mcp.Client(there.server, mode="legacy") as client:
            found: dict[str, Any] = (
                await client.call_tool("session_search", {"query": "gauge drift"})
            ).structured_content
            assert (found["ok"], found["mode"], found["results"][0]["session_id"]) == (True, "discovery", "tide-tables")
            assert found["trust"] == "untrusted-history"
            number = found["results"][0]["anchor_index"]
            args = {"session_id": "tide-tables", "around_message_id": number, "window": 0}
            read = (await client.call_tool("session_search", args)).structured_content
            assert [message["index"] for message in read["messages"]] == [number]

    anyio.run(work)


def test_instructions_are_those_of_the_families() -> None:
    assert instructions(["recall"]) == INSTRUCTIONS
    both = instructions(["recall", "session_search"])
    assert both.startswith(INSTRUCTIONS)
    assert "`session_search`" in both
    assert "`recall`" not in instructions(["session_search"])


@pytest.mark.parametrize("value", ["", "recal", "recall,everything", ","])
def test_an_unknown_family_is_a_usage_error(value: str) -> None:
    result = CliRunner().invoke(cli, ["mcp", "--tools", value])
    assert result.exit_code == 2
    assert "one or more of recall, session_search" in result.output
