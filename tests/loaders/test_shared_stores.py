"""Real stores: the loaders give as many sessions, messages and parts as SQL and line counts find."""

from __future__ import annotations

import json
import lzma
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from recall_rank.loaders import open_source, open_sources, read_all
from recall_rank.model import Flag, Message, Part, Session, SourceReport

pytestmark = pytest.mark.shared


def load(where: Path) -> tuple[dict[str, Session], SourceReport]:
    sessions, (report,) = read_all([open_source(where)])
    assert not report.errors
    return {session.id: session for session in sessions}, report


def holding(session: Session, words: str) -> list[tuple[Message, Part]]:
    return [
        (message, part)
        for message in session.messages
        for part in message.parts
        if any(words in (field or "") for field in (part.text, part.output, part.error))
    ]


def everywhere(sessions: dict[str, Session], words: str) -> list[tuple[Session, Message, Part]]:
    return [(session, *found) for session in sessions.values() for found in holding(session, words)]


def records(folder: Path) -> dict[Path, list[dict[str, Any]]]:
    found = {}
    for path in sorted(folder.rglob("*.jsonl")):
        lines = path.read_bytes().split(b"\n")
        found[path] = []
        for line in lines:
            try:
                found[path].append(json.loads(line))
            except ValueError:
                continue
    return found


def test_opencode(shared: Path) -> None:
    store = shared / "stores" / "opencode"
    sessions, report = load(store)
    connection = sqlite3.connect(f"{(store / 'opencode.db').as_uri()}?mode=ro&immutable=1", uri=True)
    count = {
        table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        for table in ("session", "message", "part")
    }
    types = Counter(row[0] for row in connection.execute("SELECT json_extract(data, '$.type') FROM part"))
    parents = dict(connection.execute("SELECT id, parent_id FROM session WHERE parent_id IS NOT NULL"))
    pruned = connection.execute(
        "SELECT count(*) FROM part WHERE json_extract(data, '$.state.time.compacted') > 0"
    ).fetchone()[0]
    roles = Counter(row[0] for row in connection.execute("SELECT json_extract(data, '$.role') FROM message"))
    connection.close()
    messages = [message for session in sessions.values() for message in session.messages]
    parts = [part for message in messages for part in message.parts]
    assert (report.sessions, report.messages, report.parts) == (count["session"], count["message"], count["part"])
    assert (report.malformed, report.warnings, report.bytes) == ((), (), 6_553_600)
    assert Counter(part.type for part in parts) == types
    assert Counter(message.role for message in messages) == roles
    assert {key: session.parent for key, session in sessions.items() if session.parent} == parents
    assert {key for key, session in sessions.items() if session.flags & Flag.SUBAGENT} == set(parents)
    assert sum(bool(part.flags & Flag.PRUNED) for part in parts) == pruned > 0
    assert sum(bool(part.flags & Flag.SYNTHETIC) for part in parts) == 1
    assert {part.tool for part in parts if part.tool} >= {"bash", "read", "task"}


def test_opencode_phrases(shared: Path) -> None:
    sessions, _ = load(shared / "stores" / "opencode")
    spilled = shared / "stores" / "opencode" / "tool-output"
    whole = min(spilled.iterdir()).read_text()
    assert len([1 for *_, part in everywhere(sessions, whole)]) == len(list(spilled.iterdir()))
    (_, _, thought), *_ = everywhere(sessions, "what the client does with ECONNREFUSED")
    assert thought.type == "reasoning"
    (_, _, failed), *_ = everywhere(sessions, "File not found: /home/al/code/acme-api/src/nope_missing.py")
    assert (failed.error is not None, failed.status, failed.flags) == (True, "error", Flag.ERROR)
    job = next(session for session in sessions.values() if session.title == "Job log and locked database")
    message, part = holding(job, "Show me the big log of the job runner")[0]
    assert part.text == "Show me the big log of the job runner and run the migration"  # without the quotes of `run`
    assert message.flags & Flag.OUT_OF_CONTEXT
    summary, _ = holding(job, "## Goal\nMake the client resilient.")[0]
    assert summary.flags & Flag.SUMMARY
    assert not job.messages[-1].flags & Flag.OUT_OF_CONTEXT
    assert any(
        session.flags & Flag.SUBAGENT for session, *_ in everywhere(sessions, "Subagent report: two Python files")
    )
    assert not any(str(session.title).startswith("New session") for session in sessions.values())


@pytest.mark.parametrize("name", ["claude-code", "claude-code-synthetic"])
def test_claude_code_counts(shared: Path, name: str) -> None:
    files = records(shared / "stores" / name)
    sessions, report = load(shared / "stores" / name)
    assert set(sessions) == {path.stem for path in files}
    assert (report.sessions, report.bytes) == (len(files), sum(path.stat().st_size for path in files))
    for path, found in files.items():
        session = sessions[path.stem]
        spoken = [record["message"] for record in found if record["type"] == "assistant"]
        assert sum(message.role == "assistant" for message in session.messages) == len(
            {message.get("id") or id(message) for message in spoken}
        )
        blocks = Counter(block["type"] for message in spoken for block in message["content"])
        kinds = Counter(
            part.type for message in session.messages if message.role == "assistant" for part in message.parts
        )
        assert (kinds["tool"], kinds["text"], kinds["reasoning"]) == (
            blocks["tool_use"],
            blocks["text"],
            blocks["thinking"],
        )
        results = [
            block
            for record in found
            if record["type"] == "user" and isinstance(record["message"]["content"], list)
            for block in record["message"]["content"]
            if block["type"] == "tool_result"
        ]
        tools = [part for message in session.messages for part in message.parts if part.type == "tool"]
        assert sum(part.status in {"completed", "error"} for part in tools) == len(results)
        assert sum(part.error is not None for part in tools) == sum(bool(block.get("is_error")) for block in results)
        asked = [record["message"]["content"] for record in found if record["type"] == "user"]
        prompts = [
            said for said in asked if isinstance(said, str) or any(block["type"] != "tool_result" for block in said)
        ]
        assert sum(message.role == "user" for message in session.messages) == len(prompts)


def test_claude_code_phrases(shared: Path) -> None:
    sessions, report = load(shared / "stores" / "claude-code")
    assert (report.malformed, report.warnings) == ((), ())
    spilled = next((shared / "stores" / "claude-code").rglob("tool-results/*.txt")).read_text()
    ((_, message, part),) = everywhere(sessions, spilled.rstrip("\n"))
    assert (part.tool, bool(message.flags & Flag.OUT_OF_CONTEXT)) == ("Bash", True)
    assert everywhere(sessions, "thundering herd comes from the cron fan-out")[0][2].type == "reasoning"
    assert everywhere(sessions, "RuntimeError: SQLITE_BUSY: database is locked (code 5) in migrate_0042_add_index")[0][
        2
    ].error
    (child,) = [session for session in sessions.values() if session.parent]
    assert (child.title, child.flags, sessions[str(child.parent)].parent) == (
        "Explore repo layout",
        Flag.SUBAGENT,
        None,
    )
    assert holding(child, "Subagent report")
    ((_, injected, part),) = everywhere(sessions, "<local-command-stdout>Compacted")
    assert (injected.role, part.flags) == ("user", Flag.SYNTHETIC)


def test_claude_code_synthetic_phrases(shared: Path) -> None:
    sessions, report = load(shared / "stores" / "claude-code-synthetic")
    assert [bad.place for bad in report.malformed] == ["line 69"]
    assert [session.title for session, *_ in everywhere(sessions, "secret reasoning about clap")] == ["clap-rewrite"]
    assert everywhere(sessions, "codename opal bridge")[0][0].parent == "c695ce14-2e6e-4f9e-a034-eabc1677003b"
    assert everywhere(sessions, "violet harbour")[0][1].flags & Flag.SUMMARY
    assert everywhere(sessions, "sidechain answer")[0][1].flags & Flag.SUBAGENT
    assert not everywhere(sessions, "does it survive?")[0][2].flags & Flag.SYNTHETIC


def test_history(shared: Path) -> None:
    sessions, report = load(shared / "histories")
    with lzma.open(shared / "histories" / "history.jsonl.xz") as file:
        lines = file.read().split(b"\n")
    kinds = Counter(line[6:14] for line in lines if line)
    assert report.sessions == kinds[b'"session'] == 285
    assert report.messages == kinds[b'"message'] == 27_871
    assert (report.parts, report.malformed, report.warnings) == (37_853, (), ())
    assert sum(len(session.messages) for session in sessions.values()) == report.messages


def test_every_known_store_of_the_folder_is_found(shared: Path) -> None:
    once = ("codex", "copilot-cli", "gemini-cli", "hermes", "memo-agent", "pi", "praisonai")
    twice = ("claude-code", "opencode", "tallow")  # an older tree of OpenCode, two homes of tallow
    found = Counter(source.name for source in open_sources(shared / "stores"))
    assert found == {**dict.fromkeys(once, 1), **dict.fromkeys(twice, 2)}
    names = [source.name for source in open_sources(shared / "histories")]
    assert names == ["history", "unrecognised"]  # queries lie beside the sessions
