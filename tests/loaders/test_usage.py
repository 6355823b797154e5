"""Tokens and costs of every program, converted to the definitions of the model."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from recall_rank.loaders.content.usage import add_tokens, dollars, tokens_of
from recall_rank.model import Message, Session, Tokens
from tests.fixtures import make_chat_stores, make_codex, make_copilot, make_cursor, make_fixtures, make_gemini, make_pi
from tests.fixtures.make_fixtures import START, lines
from tests.fixtures.make_hermes import write_hermes
from tests.support.loaders.finding import load


def answers(session: Session) -> list[Message]:
    return [message for message in session.messages if message.role == "assistant"]


def test_counts_are_numbers_or_nothing() -> None:
    assert tokens_of(5, 2.0, True, "9") == Tokens(5, 2, None, None)
    assert tokens_of(-1, None, 7, 7) is None
    assert tokens_of(0, 0, 0, 0) is None  # nothing was asked
    assert tokens_of(float("nan"), 2**70) is None
    assert tokens_of(1, 2, 3, 4, beside_sent=(3, None), beside_written=(4,)) == Tokens(4, 6, 3, 4)


def test_token_counts_add_up() -> None:
    assert add_tokens(Tokens(1, 2, None, 3), Tokens(10, 20, 5, None)) == Tokens(11, 22, 5, 3)
    assert add_tokens(None, Tokens(1)) == add_tokens(Tokens(1), None) == Tokens(1)
    assert add_tokens(None, None) is None


@pytest.mark.parametrize("value", [None, 0, -1, "0.2", True, float("nan"), float("inf"), {}])
def test_values_that_are_no_cost(value: Any) -> None:
    assert dollars(value) is None


def test_claude_code(tmp_path: Path) -> None:
    t = make_fixtures.Transcript(make_fixtures.MAIN)
    t.user("how much?")
    usage = {"input_tokens": 5, "output_tokens": 1, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20}
    for text, written in (("so", 1), ("much", 7)):  # the last line of an answer is complete
        body = {"id": "msg_1", "role": "assistant", "content": [make_fixtures.text(text)]}
        t.add("assistant", message={**body, "usage": {**usage, "output_tokens": written}}, costUSD=0.25)
    path = tmp_path / f"{make_fixtures.MAIN}.jsonl"
    path.write_bytes(lines(t.records))
    (message,) = answers(load(path)[0][make_fixtures.MAIN])
    assert (message.tokens, message.cost) == (Tokens(125, 7, 100), 0.25)


def test_codex(tmp_path: Path) -> None:
    r = make_codex.Rollout(make_codex.MAIN)
    r.user("m1", "how much?")
    r.answer("m2", "so much")
    spent = {"input_tokens": 50, "cached_input_tokens": 30, "output_tokens": 9, "reasoning_output_tokens": 4}
    info = {"total_token_usage": spent, "last_token_usage": spent}
    r.add("event_msg", {"type": "token_count", "info": info})
    r.add("event_msg", {"type": "token_count", "info": info})  # said again: only the limits changed
    r.add("event_msg", {"type": "token_count", "info": None})
    path = tmp_path / f"rollout-2026-05-28T20-26-40-{make_codex.MAIN}.jsonl"
    path.write_bytes(lines(r.records))
    (message,) = answers(load(path)[0][make_codex.MAIN])
    assert message.tokens == Tokens(50, 9, 30, 4)


def test_gemini(tmp_path: Path) -> None:
    home = make_gemini.write_gemini(tmp_path)
    path = next(home.rglob("session-*.jsonl"))
    counts = {"input": 40, "output": 3, "cached": 10, "thoughts": 5, "tool": 2, "total": 50}
    record = {"id": "spent", "type": "gemini", "content": "so much", "tokens": counts, "timestamp": "2026-05-28T21:00Z"}
    path.write_bytes(path.read_bytes() + lines([record]))
    found = [m for s in load(path)[0].values() for m in s.messages if m.id == "spent"]
    assert [message.tokens for message in found] == [Tokens(42, 8, 10, 5)]


def test_copilot(tmp_path: Path) -> None:
    log = make_copilot.Log(make_copilot.MAIN)
    log.user("u1", "how much?")
    usage = {"inputTokens": 50, "outputTokens": 9, "cacheReadTokens": 30, "apiCallId": "c1", "cost": 1.0}
    log.add("session.usage_record", {"usage": usage})
    log.answer("a1", "so much", apiCallId="c1")
    log.answer("a2", "and more", apiCallId="c2", outputTokens=3)
    path = tmp_path / "session-state" / make_copilot.MAIN / "events.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(lines(log.events))
    first, second = answers(load(path)[0][make_copilot.MAIN])
    assert (first.tokens, second.tokens) == (Tokens(50, 9, 30), Tokens(None, 3))
    assert first.cost is None  # it counts requests, not dollars


def test_pi(tmp_path: Path) -> None:
    tree = make_pi.Tree(make_pi.FIRST)
    tree.said("user", [make_pi.text("how much?")])
    usage = {"input": 5, "output": 9, "cacheRead": 30, "cacheWrite": 15, "cost": {"total": 0.5}}
    tree.said("assistant", [make_pi.text("so much")], usage=usage)
    path = tmp_path / make_pi.file_name(make_pi.FIRST)
    path.write_bytes(lines(tree.records))
    (message,) = answers(load(path)[0][make_pi.FIRST])
    assert (message.tokens, message.cost) == (Tokens(50, 9, 30), 0.5)


def test_opencode(tmp_path: Path) -> None:
    database = make_fixtures.write_opencode(tmp_path)
    tokens = {"input": 5, "output": 9, "reasoning": 4, "cache": {"read": 30, "write": 15}}
    with sqlite3.connect(database) as connection:
        data = {"role": "assistant", "tokens": tokens, "cost": 0.125}
        make_fixtures.add_message(
            connection, "ses_a", "msg_99", data, [{"type": "text", "text": "so much"}], START + 50
        )
        connection.execute("ALTER TABLE session ADD COLUMN cost real DEFAULT 0.75")
        for name in ("input", "output", "reasoning", "cache_read", "cache_write"):
            connection.execute(f"ALTER TABLE session ADD COLUMN tokens_{name} integer DEFAULT 2")
    connection.close()
    session = load(database)[0]["ses_a"]
    assert (session.messages[-1].tokens, session.messages[-1].cost) == (Tokens(50, 13, 30, 4), 0.125)
    assert (session.tokens, session.cost) == (Tokens(6, 4, 2, 2), 0.75)


def test_hermes(tmp_path: Path) -> None:
    database = write_hermes(tmp_path)
    with sqlite3.connect(database) as connection:
        for name in ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens"):
            connection.execute(f"ALTER TABLE sessions ADD COLUMN {name} INTEGER DEFAULT 3")
        connection.execute("ALTER TABLE sessions ADD COLUMN actual_cost_usd REAL")
        connection.execute("ALTER TABLE sessions ADD COLUMN estimated_cost_usd REAL DEFAULT 0.5")
    connection.close()
    found = {(session.tokens, session.cost) for session in load(database)[0].values()}
    assert found == {(Tokens(9, 3, 3, 3), 0.5)}


def test_goose(tmp_path: Path) -> None:
    database = make_chat_stores.write_goose(tmp_path / "goose")
    database = database if database.is_file() else database / "sessions.db"
    with sqlite3.connect(database) as connection:
        present = {row[1] for row in connection.execute("PRAGMA table_info(sessions)")}
        for name in {"accumulated_input_tokens", "accumulated_output_tokens", "accumulated_cost"} - present:
            connection.execute(f"ALTER TABLE sessions ADD COLUMN {name}")
        connection.execute("UPDATE sessions SET accumulated_input_tokens = 8, accumulated_output_tokens = 2")
        connection.execute("UPDATE sessions SET accumulated_cost = 0.5")
    connection.close()
    assert {(s.tokens, s.cost) for s in load(database)[0].values()} == {(Tokens(8, 2), 0.5)}


def test_memo_agent(tmp_path: Path) -> None:
    database = make_chat_stores.write_memo(tmp_path / "memo" / "sessions.db")
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE sessions SET input_tokens = 8, output_tokens = 2, estimated_cost_usd = 0.5")
    connection.close()
    assert {(s.tokens, s.cost) for s in load(database)[0].values()} == {(Tokens(8, 2), 0.5)}


def test_praisonai(tmp_path: Path) -> None:
    session = {"session_id": "s", "messages": [{"role": "user", "content": "how much?"}], "metadata": {"cost": 0.5}}
    path = make_chat_stores.write_session(tmp_path, session)
    assert load(path)[0]["s"].cost == 0.5


def test_cursor(tmp_path: Path) -> None:
    base = make_cursor.write_cursor(tmp_path)
    database = next(base.rglob("globalStorage/state.vscdb"))  # beside it, workspaces have one of the same name
    with sqlite3.connect(database) as connection:
        key, raw = connection.execute("SELECT key, value FROM cursorDiskKV WHERE key LIKE 'composerData:%'").fetchone()
        name = key.partition(":")[2]
        headers = [{"bubbleId": "spent", "type": 2}]
        record = {**json.loads(raw), "fullConversationHeadersOnly": headers}
        record["usageData"] = {"quill-1": {"costInCents": 25, "amount": 1}, "quill-2": {"costInCents": 50}}
        bubble = {"type": 2, "text": "so much", "tokenCount": {"inputTokens": 8, "outputTokens": 2}}
        for row in ((key, json.dumps(record)), (f"bubbleId:{name}:spent", json.dumps(bubble))):
            connection.execute("INSERT OR REPLACE INTO cursorDiskKV (key, value) VALUES (?, ?)", row)
    connection.close()
    session = load(database)[0][name]
    assert session.cost == 0.75
    assert [message.tokens for message in session.messages if message.id == "spent"] == [Tokens(8, 2)]


AIDER = """
# aider chat started at 2026-05-28 20:26:40

#### how much?  

so much

> Tokens: 2.4k sent, 1.2k cache hit, 120 received. Cost: $0.01 message, $0.02 session.  

#### and now?  

the same

> Applied edit to lamp.py  
"""  # noqa: W291


def test_aider(tmp_path: Path) -> None:
    path = tmp_path / ".aider.chat.history.md"
    path.write_text(AIDER)
    (session,) = load(path)[0].values()
    first, second = answers(session)
    assert (first.tokens, first.cost) == (Tokens(2400, 120, 1200), 0.01)
    assert (second.tokens, second.cost) == (None, None)


def test_history(tmp_path: Path) -> None:
    spent = {"tokens": {"input": 8, "output": 2, "cached": 1, "reasoning": 1}, "cost": 0.5}
    records = [
        {"t": "session", "id": "s", "forked_from": "r", "continues": "q", "repository": "forge.example/lamp", **spent},
        {"t": "message", "id": "m", "session": "s", "role": "assistant", "parts": [], **spent},
    ]
    session = load(make_fixtures.write_history(tmp_path / "h.jsonl", records))[0]["s"]
    for record in (session, *session.messages):
        assert (record.tokens, record.cost) == (Tokens(8, 2, 1, 1), 0.5)
    assert (session.forked_from, session.continues, session.repository) == ("r", "q", "forge.example/lamp")
