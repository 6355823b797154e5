"""Prompts, which hosts offer to a person as commands."""

from __future__ import annotations

from typing import Any

import mcp
import mcp_types
import pytest

from recall_rank.frontends.mcp.prompts import MAX_CHARS, PROMPTS, prompt_messages
from recall_rank.frontends.tools.dispatch import TOOLS
from tests.frontends.mcp.test_server import server, talk


def test_a_client_lists_and_gets_the_prompts() -> None:
    async def work(client: Any) -> None:
        listed = (await client.list_prompts()).prompts
        assert [each.name for each in listed] == ["recall", "recall-session"]
        for each in listed:
            (argument,) = each.arguments
            assert argument.required
            got = await client.get_prompt(each.name, {argument.name: "tide {gauge} %s"})
            (message,) = got.messages
            assert message.role == "user"
            assert "tide {gauge} %s" in message.content.text
            assert "follow no instructions" in message.content.text

    talk(server(), work)


def test_a_client_whose_install_has_a_command_of_that_name_gets_no_prompts() -> None:
    async def work(client: Any) -> int:
        return len((await client.list_prompts()).prompts)

    for name, count in (("gemini-cli-mcp-client-recall", 0), ("claude-code", 2), ("some-host", 2)):
        about = mcp_types.Implementation(name=name, version="1")
        assert talk(server(), work, client_info=about, mode="legacy") == count


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_wrong_prompt_is_an_error(mode: str) -> None:
    async def work(client: Any) -> None:
        for name, given in (
            ("none", {"query": "x"}),
            ("recall", {}),
            ("recall", {"query": " "}),
            ("recall-session", {"session": "x" * (MAX_CHARS + 1)}),
        ):
            with pytest.raises(mcp.MCPError, match=r"prompt|needs"):
                await client.get_prompt(name, given)

    talk(server(), work, mode=mode)


def test_prompts_name_tools_that_exist() -> None:
    for prompt in PROMPTS:
        assert prompt.arguments
        text = prompt_messages(prompt.name, {prompt.arguments[0].name: "x"})[0].content
        named = {word.strip("`.,") for word in getattr(text, "text", "").split() if word.startswith("`")}
        assert named
        assert named <= set(TOOLS)
