"""A machine with sessions of Claude Code, an index of them, and calls of the hooks of each host."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.hosts.events import background_refresh
from recall_rank.frontends.hosts.events.host_hooks import HostAnswer, host_answer, host_machine
from recall_rank.recall import Recall
from tests.support.frontends.claude_machine import FIRST, ClaudeMachine

SECRET = "AKIA" + "QZ3X7WNB5TKD2MHV"
ASKS = "what did we decide about the ferry tariff last time?"
# Host -> events at the start of a session, before a message, before a compaction, at the end.
EVENTS: dict[str, tuple[str, str, str, str]] = {
    "claude-code": ("SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd"),
    "codex": ("SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd"),
    "gemini": ("SessionStart", "BeforeAgent", "PreCompress", "SessionEnd"),
    "copilot": ("sessionStart", "userPromptSubmitted", "preCompact", "sessionEnd"),
}


class HookedMachine:
    """A home folder with sessions and an index, in which hooks run; refreshes are counted instead of started."""

    def __init__(self, claude: ClaudeMachine) -> None:
        self.claude = claude
        self.refreshes: list[float] = []
        self.waits = False  # of the last one

    def index(self) -> None:
        """Read and index the sessions that are there now."""
        with Recall.discover() as recall:
            recall.refresh()

    def call(self, host: str, event: str, **more: Any) -> bytes:
        """Return what a host writes to the stdin of a hook."""
        asking = "ask-1"
        if host == "copilot":
            given: dict[str, Any] = {"sessionId": asking, "timestamp": 1772000000000, "cwd": str(self.claude.project)}
        else:
            given = {"session_id": asking, "transcript_path": "", "cwd": str(self.claude.project)}
            given["hook_event_name"] = event
        if host == "codex":
            given |= {"turn_id": "t-1", "model": "m"}
        return json.dumps({**given, **more}).encode()

    def run(self, host: str, event: str, **more: Any) -> HostAnswer:
        """Return the answer of a hook to a call that has these fields."""
        return self.given(host, event, self.call(host, event, **more))

    def given(self, host: str, event: str, data: bytes, **more: Any) -> HostAnswer:
        """Return the answer of a hook to a call as it stands."""
        return host_answer(host, event, lambda: data, host_machine, **more)


@pytest.fixture
def hooked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HookedMachine:
    claude = ClaudeMachine(tmp_path)
    for name in ("CLAUDE_PROJECT_DIR", "CLAUDE_CONFIG_DIR", "RECALL_RANK_CURATING", "PLUGIN_ROOT", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("XDG_CONFIG_HOME", "CLAUDE_PLUGIN_ROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(claude.home))
    monkeypatch.chdir(claude.project)
    machine = HookedMachine(claude)
    claude.session(
        FIRST,
        "which color has the ferry tariff page?",
        f"We decided to use amber for the ferry tariff, because the key {SECRET} is amber.",
    )
    machine.index()

    def started(cache: Path, environ: Mapping[str, str], older: float = 0.0, *, wait: bool = False) -> None:
        assert cache == claude.cache
        assert environ is os.environ
        machine.waits = wait
        machine.refreshes.append(older)

    monkeypatch.setattr(background_refresh, "start_refresh", started)
    return machine


def text_of(answer: HostAnswer) -> str:
    """Return the text that an answer puts before the model, "" for none; its form must be one that hosts know."""
    if not answer.stdout:
        return ""
    given = json.loads(answer.stdout)
    if "hookSpecificOutput" in given:
        assert set(given) == {"hookSpecificOutput"}
        given = given["hookSpecificOutput"]
        assert set(given) == {"hookEventName", "additionalContext"}
    else:
        assert set(given) == {"additionalContext"}
    text = given["additionalContext"]
    assert isinstance(text, str)
    return text
