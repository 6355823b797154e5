"""The MCP clients whose ways are known, by the name that a client gives when it initializes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class KnownClient:
    """A host: how the name of its client begins, the agent of its sessions, and the environment it gives a server."""

    begins: str  # the name of the client, in small letters
    agent: str  # Session.agent of what it stores
    session_variable: str | None = None
    folder_variable: str | None = None
    shows_both: bool = False  # shows its model the text of an answer and its structure, one after the other
    has_command: bool = False  # an install gives it /recall, which a prompt of this name would hide


_COPILOT_SESSION: Final = "COPILOT_AGENT_SESSION_ID"
CLIENTS: Final = (
    KnownClient("claude-code", "claude-code", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR"),
    KnownClient("gemini-cli", "gemini-cli", has_command=True),
    KnownClient("github-copilot", "copilot-cli", _COPILOT_SESSION, shows_both=True),
    KnownClient("copilot", "copilot-cli", _COPILOT_SESSION, shows_both=True),
    KnownClient("qwen", "qwen-code", shows_both=True),
    KnownClient("cline", "cline", shows_both=True),
    KnownClient("codex", "codex"),
    KnownClient("opencode", "opencode"),
    KnownClient("cursor", "cursor"),
)


def known_client(name: str | None) -> KnownClient | None:
    """Return the host of a client, by the client's name; None for one that is not known."""
    small = (name or "").lower()
    return next((each for each in CLIENTS if small.startswith(each.begins)), None)


def takes_prompts(name: str | None) -> bool:
    """Return whether a client is offered the prompts of the server."""
    client = known_client(name)
    return client is None or not client.has_command


def takes_structured(name: str | None) -> bool:
    """Return whether answers to a client should have a structured form besides the text.

    Copilot, Qwen Code and Cline show their model both, so they get the text alone, which is the shorter one. A host
    that prefers the structured form shows that alone, and a program may need it.
    """
    client = known_client(name)
    return client is None or not client.shows_both
