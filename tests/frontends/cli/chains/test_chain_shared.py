"""The chains of real stores equal what SQL and plain reads of lines say: of all linked sessions, and of some others."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.frontends.conftest import Run
from tests.support.loaders.counting import query

pytestmark = pytest.mark.shared

Links = Mapping[str, tuple[str, str | None]]
"""Of each session, by id: how it came from another one, and the id of that one."""


def chains(run: Run, store: Path, links: Links) -> Iterator[tuple[str, dict[str, dict[str, Any]]]]:
    """Yield the id of each linked session, and of eight others, with the entries of its chain, by id, after comparing
    its tree with `links`.
    """
    alone = [key for key in sorted(links) if len(family(key, links)) == 1]
    for key in [*sorted(links.keys() - set(alone)), *alone[:8]]:
        result = run("chain", key, "--history", store, "--json")
        assert result.exit_code == 0, result.output
        answer = json.loads(result.stdout)
        entries = answer["sessions"]
        tree = {
            entry["id"]: (entry["relation"], entries[entry["above"]]["id"] if "above" in entry else None)
            for entry in entries
        }
        assert tree == {member: links[member] for member in family(key, links)}
        assert (answer["session_id"], answer["total"], answer["notes"]) == (key, len(entries), [])
        yield key, {entry["id"]: entry for entry in entries}


def family(key: str, links: Links) -> set[str]:
    """The ids of all sessions that are linked with one, by way of others too."""
    found = {key}
    while True:
        more = {above for member in found if (above := links[member][1])}
        more |= {member for member, (_, above) in links.items() if above in found}
        if more <= found:
            return found
        found |= more


def records(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def test_memo_agent(run: Run, shared: Path) -> None:
    store = shared / "stores" / "memo-agent"
    database = store / "profile" / "sessions.db"
    rows = query(
        database, "SELECT id, parent_session_id, input_tokens, output_tokens, estimated_cost_usd FROM sessions"
    )
    links = {key: ("compression" if above else "root", above) for key, above, *_ in rows}
    assert sum(relation == "compression" for relation, _ in links.values()) == 2
    typed: dict[str, Counter[str]] = {key: Counter() for key in links}
    prompts = "SELECT session_id, content FROM messages WHERE role = 'user' AND content NOT LIKE '[Previous conv%'"
    for key, content in query(database, prompts):
        typed[key][content] += 1
    figures = {key: rest for key, _, *rest in rows}
    for key, entries in chains(run, store, links):
        above = links[key][1]
        own = typed[key] - typed[above] if above else typed[key]
        entry = entries[key]
        sent, written, cost = figures[key]
        assert entry["rounds"] == own.total(), key
        assert (entry["tokens"], entry["cost"]) == ({"input": sent, "output": written}, cost)
        assert entry["reopen"] == f"memo --resume {key}"


def test_opencode(run: Run, shared: Path) -> None:
    store = shared / "stores" / "opencode"
    database = store / "opencode.db"
    rows = query(
        database,
        "SELECT id, parent_id, tokens_input, tokens_output + tokens_reasoning, time_created, time_updated,"
        " (SELECT count(*) FROM message m WHERE m.session_id = s.id),"
        " (SELECT count(*) FROM part p WHERE p.session_id = s.id AND p.data ->> '$.type' = 'compaction'),"
        " (SELECT count(DISTINCT p.message_id) FROM part p JOIN message m ON m.id = p.message_id"
        "  WHERE p.session_id = s.id AND m.data ->> '$.role' = 'user' AND p.data ->> '$.type' IN ('text', 'file')"
        "  AND NOT coalesce(p.data ->> '$.synthetic', 0))"
        " FROM session s",
    )
    listed = json.loads(run("sessions", "--history", store, "--limit", 1000, "--json").stdout)["sessions"]
    there = {entry["id"] for entry in listed}
    links = {key: ("subagent" if above else "root", above) for key, above, *_ in rows if key in there}
    assert sum(relation == "subagent" for relation, _ in links.values()) == 2
    figures = {key: rest for key, _, *rest in rows}
    for key, entries in chains(run, store, links):
        entry = entries[key]
        sent, written, created, _, messages, compactions, prompts = figures[key]
        assert entry.get("tokens", {}).get("input", 0) == sent
        assert entry.get("tokens", {}).get("output", 0) == written
        assert (entry["time"]["created"], entry["messages"]) == (created, messages)
        assert (len(entry.get("summaries", ())), entry["rounds"]) == (compactions, prompts), key
        assert "reopen" not in entry  # the folders are not on this machine


def test_hermes(run: Run, shared: Path) -> None:
    store = shared / "stores" / "hermes"
    rows = query(
        store / "state.db",
        "SELECT id, parent_session_id, input_tokens + cache_read_tokens + cache_write_tokens, output_tokens,"
        " (SELECT count(*) FROM messages m WHERE m.session_id = s.id AND role = 'user') FROM sessions s",
    )
    links = {key: ("root", above) for key, above, *_ in rows}
    assert not [above for _, above in links.values() if above]
    figures = {key: rest for key, _, *rest in rows}
    for key, entries in chains(run, store, links):
        sent, written, prompts = figures[key]
        assert (entries[key]["tokens"]["input"], entries[key]["tokens"]["output"]) == (sent, written)
        assert entries[key]["rounds"] == prompts


@pytest.mark.parametrize("store", ["pi", "tallow"])
def test_pi_and_tallow(run: Run, shared: Path, store: str) -> None:
    files = [path for path in (shared / "stores" / store).rglob("*.jsonl") if path.parent.name != "flat"]
    heads = {}
    for path in files:
        head, *entries = records(path)
        heads[head["id"]] = (head.get("parentSession"), entries)
    links = {}
    for key, (origin, _) in heads.items():
        above = Path(origin.replace("\\", "/")).stem.rpartition("_")[2] if origin else None
        links[key] = ("fork" if above else "root", above)
    assert any(above for _, above in links.values()) == (store == "tallow")
    held = {key: {entry.get("id") for entry in entries} for key, (_, entries) in heads.items()}
    for key, found in chains(run, shared / "stores" / store, links):
        above = links[key][1]
        copied = held[above] if above else set()
        messages = [
            entry["message"]
            for entry in heads[key][1]
            if entry["type"] == "message" and entry.get("id") not in copied and "message" in entry
        ]
        spent = [message["usage"] for message in messages if message.get("usage")]
        sums = [sum(use.get(name, 0) for use in spent for name in names) for names in (
            ("input", "cacheRead", "cacheWrite"), ("output",),
        )]  # fmt: skip
        tokens = found[key].get("tokens", {})
        assert [tokens.get("input", 0), tokens.get("output", 0)] == sums, key
        assert found[key]["rounds"] == sum(message["role"] == "user" for message in messages), key


def test_claude_code(run: Run, shared: Path) -> None:
    store = shared / "stores" / "claude-code"
    links: dict[str, tuple[str, str | None]] = {}
    sent: dict[str, int] = {}
    for path in store.rglob("*.jsonl"):
        subagent = path.parent.name == "subagents"
        usage: dict[str, dict[str, int]] = {}
        for record in records(path):
            message = record.get("message")
            if record.get("type") == "assistant" and isinstance(message, dict):
                usage[message["id"]] = message["usage"]
            assert "forkedFrom" not in record
        links[path.stem] = ("subagent", path.parents[1].name) if subagent else ("root", None)
        names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        sent[path.stem] = sum(use.get(name) or 0 for use in usage.values() for name in names)
    assert sum(relation == "subagent" for relation, _ in links.values()) == 1
    for key, entries in chains(run, store, links):
        assert entries[key].get("tokens", {}).get("input", 0) == sent[key], key
        assert entries[key].get("subagent", False) == (links[key][0] == "subagent")


def test_claude_code_with_forks_and_subagents(run: Run, shared: Path) -> None:
    store = shared / "stores" / "claude-code-synthetic" / "home" / ".claude" / "projects"
    holder: dict[str, set[str]] = {}
    for path in store.rglob("*.jsonl"):
        for record in records(path):
            if record.get("uuid") and record.get("type") in ("user", "assistant"):
                holder.setdefault(record["uuid"], set()).add(path.stem)
    shared_by = {frozenset(stems) for stems in holder.values() if len(stems) > 1}
    for path in store.rglob("subagents/*.jsonl"):
        answer = json.loads(run("chain", path.stem, "--history", store, "--json").stdout)
        entries = answer["sessions"]
        entry = entries[answer["wanted"]]
        assert (entry["relation"], entries[entry["above"]]["id"]) == ("subagent", path.parents[1].name)
    for stems in shared_by:
        trees = []
        for stem in stems:
            result = run("chain", stem, "--history", store, "--json")
            if result.exit_code == 0:  # a fork without a message of its own is a place of the other session
                trees.append({entry["id"] for entry in json.loads(result.stdout)["sessions"]})
        assert trees
        assert all(tree == trees[0] for tree in trees)
