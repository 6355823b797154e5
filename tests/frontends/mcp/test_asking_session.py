"""The session that asks, with the client of the SDK: every source of it, their order, and what a guess looks like."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import anyio
import mcp
import mcp_types as types
import pytest

from recall_rank.frontends.host_options import host_options
from recall_rank.frontends.mcp.asking_session import asking_session, folder_of_environment, guessed_session
from recall_rank.frontends.mcp.background_reading import BackgroundHistories
from recall_rank.frontends.mcp.server import RecallServer
from recall_rank.model import Context, Flag, Message, Part, Session
from recall_rank.recall import Recall
from tests.support.frontends.harbor import NOW, Invented

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")

OURS = "recall-rank/context"
CLAUDE = {"CLAUDE_CODE_SESSION_ID": "of-claude", "CLAUDE_PROJECT_DIR": "/home/ana/quay"}
COPILOT = {"COPILOT_AGENT_SESSION_ID": "of-copilot"}
QUAY = Context(directory="/home/ana/quay", worktree="/home/ana/quay")


def session(
    name: str, agent: str | None, age: int, *, folder: str = "/home/ana/quay", flags: Flag = Flag.NONE
) -> Session:
    """A session with a message that was compacted and one that its model still reads."""
    messages = (
        Message(f"{name}-old", "user", NOW - age - 5, (Part(f"{name}-p", "text", "the lantern was red"),)),
        Message(f"{name}-new", "user", NOW - age, (Part(f"{name}-q", "text", "the lantern is green"),)),
    )
    first = replace(messages[0], flags=Flag.OUT_OF_CONTEXT)
    return Session(
        name, (first, messages[1]), name, folder, worktree=folder, updated=NOW - age, agent=agent, flags=flags
    )


SESSIONS = (
    session("named", "codex", 9_000_000),
    session("threaded", "codex", 8_000_000),
    session("of-opencode", "opencode", 7_000_000),
    session("of-claude", "claude-code", 6_000_000),
    session("of-copilot", "copilot-cli", 5_000_000, folder="/home/ana/hives"),
    session("subagent", "claude-code", 1_000, flags=Flag.SUBAGENT),
    session("newest-claude", "claude-code", 3_000_000),
    session("newest", "copilot-cli", 2_000_000),
)


class Asked:
    """A server over SESSIONS and one client of a name, in an environment, with roots."""

    def __init__(self, client: str = "test", context: Context = QUAY, *sources: Any, **environment: str) -> None:
        histories = BackgroundHistories(Recall(sources or (Invented(*SESSIONS),)))
        assert histories.wait(30)
        options = host_options({"redact": True})
        self.there = RecallServer(histories, options, context, environment=environment)
        self.client = client

    def call(self, name: str, args: Any, meta: Any = None, root: str | None = None) -> dict[str, Any]:
        async def roots(_: Any) -> types.ListRootsResult:
            return types.ListRootsResult(roots=[types.Root(uri=root or "")])

        async def run() -> dict[str, Any]:
            about = types.Implementation(name=self.client, version="1")
            more: dict[str, Any] = {"list_roots_callback": roots} if root else {}
            async with mcp.Client(self.there.server, client_info=about, mode="legacy", **more) as each:
                found = await each.session.call_tool(name, args, meta=meta)
                text = found.content[0].text
                answer = dict(found.structured_content or {"text": text})
                assert not answer.get("current_session") or "current_session" in text
                return answer

        return anyio.run(run)


def messages_of(answer: dict[str, Any]) -> set[str]:
    return {each["message_id"] for each in answer["results"]}


TURN = {"thread_id": "threaded", "session_id": "other", "turn_id": "t"}
SOURCES = [
    ({OURS: {"session_id": "named"}, "threadId": "threaded"}, "s", CLAUDE, "named", f"_meta {OURS}"),
    ({"threadId": "threaded"}, "of-opencode", CLAUDE, "threaded", "_meta threadId"),
    ({"x-codex-turn-metadata": TURN}, None, {}, "threaded", "_meta x-codex-turn-metadata"),
    ({"x-codex-turn-metadata": json.dumps(TURN)}, None, {}, "threaded", "_meta x-codex-turn-metadata"),
    ({"ai.opencode/sessionID": "of-opencode"}, None, CLAUDE, "of-opencode", "_meta ai.opencode/sessionID"),
    ({OURS: {"project": "p"}}, "named", CLAUDE, "named", "command"),
    (None, "named", CLAUDE, "named", "command"),
    (None, None, CLAUDE, "of-claude", "environment CLAUDE_CODE_SESSION_ID"),
]


@pytest.mark.parametrize(("meta", "command", "environment", "wanted", "source"), SOURCES)
def test_the_session_of_the_first_source_that_names_one(
    meta: Any, command: str | None, environment: dict[str, str], wanted: str, source: str
) -> None:
    asked = Asked("claude-code", replace(QUAY, session_id=command), **environment)
    told = {"session_id": wanted, "source": source, "guessed": False}
    answer = asked.call("recall_messages", {"limit": 5, "role": "user"}, meta)
    assert answer["current_session"] == told
    assert "warnings" not in answer
    assert wanted in json.dumps(answer["messages"])
    assert len(answer["messages"]) == 2
    found = asked.call("recall", {"query": "lantern", "scope": "session"}, meta)
    assert found["current_session"] == told
    assert messages_of(found) == {f"{wanted}-old", f"{wanted}-new"}


def test_a_variable_of_another_host_is_not_the_session() -> None:
    """A process inherits the variables of every host above it: Copilot in Claude Code's shell has both."""
    both = {**CLAUDE, **COPILOT}
    assert asking_session(QUAY, None, "copilot-cli", both).context.session_id == "of-copilot"
    assert asking_session(QUAY, None, "claude-code", both).context.session_id == "of-claude"
    for client in ("codex-mcp-client", "opencode", "gemini-cli-mcp-client"):
        assert asking_session(QUAY, None, client, both).context.session_id is None
    unknown = asking_session(QUAY, None, "some-host", CLAUDE)
    assert (unknown.context.session_id, unknown.guessed) == ("of-claude", True)
    assert folder_of_environment("claude-code", both) == "/home/ana/quay"
    assert folder_of_environment("codex-mcp-client", both) is None


@pytest.mark.parametrize(
    ("client", "wanted"), [("claude-code", "newest-claude"), ("codex-mcp-client", "threaded"), ("some-host", "newest")]
)
def test_the_newest_session_of_the_folder_is_a_guess_that_shows(client: str, wanted: str) -> None:
    for name, args in (("recall", {"query": "lantern", "scope": "session"}), ("recall_messages", {})):
        answer = Asked(client).call(name, args)
        assert answer["current_session"]["session_id"] == wanted
        assert answer["current_session"]["guessed"] is True
        assert answer["current_session"]["source"].startswith("the newest session of this folder, of 20")
        (warning,) = answer["warnings"]
        assert f"was guessed: {wanted}" in warning


def test_a_guess_leaves_nothing_out_and_a_known_session_what_its_model_reads() -> None:
    everything = {f"{each.id}-{age}" for each in SESSIONS for age in ("old", "new")}
    search = {"query": "lantern", "match": "smart", "results": 50}
    guessed = Asked("claude-code").call("recall", search)
    assert messages_of(guessed) == everything
    assert "current_session" not in guessed
    unsure = Asked("some-host", **CLAUDE).call("recall", search)
    assert messages_of(unsure) == everything
    known = Asked("claude-code", **CLAUDE).call("recall", search)
    assert messages_of(known) == everything - {"of-claude-new"}
    assert "in_context" in known["coverage"]["limited_by"]
    by_host = {OURS: {"session_id": "named", "in_context": ["named-old"]}}
    assert messages_of(Asked("opencode").call("recall", search, by_host)) == everything - {"named-old"}
    one = Asked("claude-code", **CLAUDE).call("recall", {**search, "session_id": "of-claude"})
    assert messages_of(one) == {"of-claude-old", "of-claude-new"}


def test_a_call_of_another_session_at_once_shows_nothing_that_the_model_reads() -> None:
    """Regression: what was kept of one session was replaced before it was returned, and nothing was left out."""

    class Overtaken(RecallServer):
        @property
        def _read(self) -> dict[Any, Any]:  # type: ignore[override]
            return {}

        @_read.setter
        def _read(self, _: object) -> None:
            pass

    asked = Asked("claude-code", **CLAUDE)
    asked.there.__class__ = Overtaken
    known = asked.call("recall", {"query": "lantern", "match": "smart", "results": 50})
    assert "of-claude-new" not in messages_of(known)


def test_the_folder_of_a_request_precedes_that_of_the_client() -> None:
    asked = Asked("test", Context(), **COPILOT)
    of_root = asked.call("recall_messages", {}, root="file:///home/ana/quay")
    assert of_root["current_session"]["session_id"] == "of-copilot"  # by the environment, which names it
    listed = Asked("test", Context()).call("recall_sessions", {}, root="file:///home/ana/hives")
    assert [each["id"] for each in listed["sessions"]] == ["of-copilot"]
    of_host = Asked("claude-code", Context(), CLAUDE_PROJECT_DIR="/home/ana/hives").call("recall_sessions", {})
    assert [each["id"] for each in of_host["sessions"]] == ["of-copilot"]
    meta = {OURS: {"directory": "/home/ana/hives"}}
    of_request = Asked("test").call("recall_sessions", {}, meta)
    assert [each["id"] for each in of_request["sessions"]] == ["of-copilot"]


@pytest.mark.parametrize("odd", [5, [], {"session_id": 5}, {"unknown": "x"}, {"in_context": "x"}])
def test_a_malformed_context_is_an_error(odd: Any) -> None:
    answer = Asked().call("recall", {"query": "lantern"}, {OURS: odd})
    assert not answer["ok"]
    assert answer["error_category"] == "context"


@pytest.mark.parametrize("odd", [5, [], {}, "", "  ", None, "{", {"thread_id": 5}])
def test_odd_values_of_a_host_are_ignored(odd: Any) -> None:
    meta = {"threadId": odd if not isinstance(odd, str) else "", "x-codex-turn-metadata": odd}
    answer = Asked("claude-code", **CLAUDE).call("recall_messages", {}, meta)
    assert answer["current_session"]["session_id"] == "of-claude"


def test_without_a_folder_and_a_session_there_is_none() -> None:
    answer = Asked("test", Context(directory="/srv/empty")).call("recall_messages", {})
    assert answer["error_category"] == "no_current_session"
    asking = asking_session(Context(), None, None, {})
    assert guessed_session(Recall([Invented(*SESSIONS)]), asking, None) is asking


def test_a_session_that_has_just_begun_is_read_before_the_answer() -> None:
    source = Invented(*SESSIONS)
    asked = Asked("claude-code", QUAY, source, CLAUDE_CODE_SESSION_ID="begun")
    later = Invented(*SESSIONS, session("begun", "claude-code", 0))
    source.__dict__.update(later.__dict__)
    answer = asked.call("recall", {"query": "lantern", "scope": "session"})
    assert messages_of(answer) == {"begun-old", "begun-new"}


def test_what_was_just_said_in_the_session_that_asks_is_read_before_the_answer() -> None:
    """Codex stores a message after its first call has been answered."""
    known = session("grown", "codex", 0)
    source = Invented(*SESSIONS, replace(known, messages=known.messages[:1]))
    asked = Asked("codex-mcp-client", QUAY, source)
    meta = {"threadId": "grown"}
    assert len(asked.call("recall_messages", {}, meta)["messages"]) == 1
    source.__dict__.update(Invented(*SESSIONS, known).__dict__)
    assert len(asked.call("recall_messages", {}, meta)["messages"]) == 2


def test_a_session_that_has_just_begun_is_the_guess() -> None:
    """Gemini CLI starts its servers before it stores anything of the session."""
    source = Invented(*SESSIONS)
    asked = Asked("codex-mcp-client", QUAY, source)
    source.__dict__.update(Invented(*SESSIONS, session("begun", "codex", 0)).__dict__)
    answer = asked.call("recall_messages", {})
    assert answer["current_session"]["session_id"] == "begun"
    assert len(answer["messages"]) == 2
