"""The counts of `recall-rank sources` for real stores equal counts made without the loaders."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from recall_rank.frontends.cli.main import cli
from recall_rank.loaders import open_source, read_all
from tests.support.loaders import counting
from tests.support.loaders.counting import Counts, query, records

pytestmark = pytest.mark.shared

# Where a store lies, the agent that is named for it, its own place in there, and how it is counted.
STORES: list[tuple[str, str, str, Callable[[Path], Counts]]] = [
    ("claude-code", "claude-code", "projects", counting.claude),
    ("claude-code-synthetic", "claude-code", "home/.claude/projects", counting.claude),
    ("codex", "codex", "", counting.codex),
    ("copilot-cli", "copilot-cli", "session-state", counting.copilot),
    ("gemini-cli", "gemini-cli", "tmp", counting.gemini),
    ("hermes", "hermes", "state.db", counting.hermes),
    ("memo-agent", "memo-agent", "profile/sessions.db", counting.memo_agent),
    ("opencode", "opencode", "opencode.db", counting.opencode),
    ("opencode-storage-json", "opencode", "storage", counting.opencode_tree),
    ("pi", "pi", "agent/sessions", counting.pi),
    ("praisonai", "praisonai", "sessions", counting.praisonai),
    ("tallow/home/.tallow", "tallow", "sessions", counting.pi),
    ("tallow/home/.tallow-fuse", "tallow", "sessions", counting.pi),
]


def test_every_store_is_listed_with_its_counts(shared: Path) -> None:
    stores = shared / "stores"
    result = CliRunner().invoke(cli, ["sources", "--history", str(stores), "--json", "--verbose"])
    assert result.exit_code == 0, result.output
    listed = {entry["location"]: entry for entry in json.loads(result.output)["sources"]}
    assert listed.keys() == {str(stores / store / place) for store, _, place, _ in STORES}
    for store, agent, place, count in STORES:
        entry = listed[str(stores / store / place)]
        found = Counts(entry["sessions"], entry["messages"], entry["parts"], entry["malformed"])
        assert (store, entry["agent"], found) == (store, agent, count(stores / store))
        assert len(entry["malformed_records"]) == entry["malformed"]
        assert entry["bytes"] > 0
        assert not entry["failed"]


def test_the_list_for_people_has_the_same_counts(shared: Path) -> None:
    stores = shared / "stores"
    result = CliRunner().invoke(cli, ["sources", "--history", str(stores), "--verbose"])
    rows = {
        line.rsplit("  ", 1)[-1].strip(): line.split() for line in result.output.splitlines() if str(stores) in line
    }
    for store, agent, place, count in STORES:
        counts = count(stores / store)
        shown = rows[str(stores / store / place)]
        assert shown[:4] == [agent, *(f"{number:,}" for number in counts[:3])]
        assert f"{counts.malformed:,}" in shown
    assert "line 69" in result.output  # the torn record of one transcript, with its file


def test_tokens_add_up_to_what_the_stores_say(shared: Path) -> None:
    """Sums of tokens: Codex keeps one in its index, Copilot in its last event, OpenCode in the rows of sessions."""
    sessions, _ = read_all([open_source(shared / "stores" / "codex")])
    index = dict(query(shared / "stores" / "codex" / "state_5.sqlite", "SELECT id, tokens_used FROM threads"))
    spent = {
        session.id: sum((m.tokens.input or 0) + (m.tokens.output or 0) for m in session.messages if m.tokens)
        for session in sessions
    }
    assert spent == index
    copilot = shared / "stores" / "copilot-cli" / "session-state"
    for session in read_all([open_source(copilot)])[0]:
        last = [record for record in records(copilot / session.id / "events.jsonl") if record][-1]
        usage = last["data"]["modelMetrics"]["fake-1"]["usage"]
        tokens = [message.tokens for message in session.messages if message.tokens]
        assert sum(each.input or 0 for each in tokens) == usage["inputTokens"]
        assert sum(each.output or 0 for each in tokens) == usage["outputTokens"]
    for session in read_all([open_source(shared / "stores" / "opencode")])[0]:
        tokens = [message.tokens for message in session.messages if message.tokens]
        if session.tokens is not None:
            assert sum(each.input or 0 for each in tokens) == session.tokens.input
            assert sum(each.output or 0 for each in tokens) == session.tokens.output
