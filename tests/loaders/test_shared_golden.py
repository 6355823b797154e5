"""The known content of each real store: roles, parts, tools, flags, parents, and words in unusual fields."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from recall_rank.loaders import open_sources, read_all
from recall_rank.model import Flag, Message, Part, Session

pytestmark = pytest.mark.shared

OUT, SYN, SUM, ERR, SUB = Flag.OUT_OF_CONTEXT, Flag.SYNTHETIC, Flag.SUMMARY, Flag.ERROR, Flag.SUBAGENT
NOT = SYN | Flag.UNSEARCHED  # what a program put in for the model alone


@dataclass(frozen=True)
class Golden:
    """The content of a store, as counted by hand."""

    roles: dict[str, int]
    types: dict[str, int]
    tools: dict[str, int]
    flags: dict[Flag, int]  # of parts, with those of their messages and sessions
    phrases: list[tuple[str, str, Flag]]  # words, the field they stand in, flags there
    parents: dict[str, str] = field(default_factory=dict)  # beginnings of ids


STORES = {
    "codex": Golden(
        {"assistant": 23, "user": 11, "system": 5},
        {"text": 42, "reasoning": 22, "tool": 15, "compaction": 1},
        {"exec_command": 15},
        {SYN: 4, NOT: 6, SYN | OUT: 1, NOT | OUT: 2, OUT: 18, OUT | ERR: 4, ERR: 2, SUM: 1},
        [
            ("processed job_1500 in 38 ms", "output", OUT),  # in an event alone: the answer was cut
            ("what the client does with ECONNREFUSED", "reasoning", Flag.NONE),
            ("migrate_0042_add_index", "error", OUT | ERR),
            ("## Goal\nMake the client resilient.", "text", SUM),
            ("Recall from the context.", "reasoning", OUT),  # before the compaction
        ],
    ),
    "copilot-cli": Golden(
        {"assistant": 13, "user": 5, "system": 4},
        {"text": 22, "reasoning": 13, "tool": 8},
        {"bash": 7, "task": 1},
        {SYN: 4, ERR: 1},
        [
            ("thundering herd comes from the cron fan-out", "reasoning", Flag.NONE),
            ('"agent_type": Required', "error", ERR),
            ("s.connect((host, port))", "output", Flag.NONE),
            ("You are the GitHub Copilot CLI", "text", SYN),
        ],
    ),
    "gemini-cli": Golden(
        {"assistant": 10, "user": 8},
        {"text": 18, "reasoning": 10, "tool": 6},
        {"run_shell_command": 6},
        {SYN: 4},
        [
            ("what the client does with ECONNREFUSED", "reasoning", Flag.NONE),
            ("<session_context>", "text", SYN),
            ("s.connect((host, port))", "output", Flag.NONE),
        ],
    ),
    "hermes": Golden(
        {"assistant": 11, "user": 4},
        {"text": 15, "reasoning": 11, "tool": 7},
        {"terminal": 7},
        {ERR: 3},
        [
            ("RuntimeError: SQLITE_BUSY: database is locked", "error", ERR),
            ("thundering herd comes from the cron fan-out", "reasoning", Flag.NONE),
            ("processed job_1500 in 38 ms", "output", Flag.NONE),
        ],
    ),
    "pi": Golden(
        {"assistant": 24, "user": 7},
        {"text": 29, "reasoning": 22, "tool": 15, "compaction": 2},
        {"bash": 15},
        {OUT: 14, OUT | ERR: 2, ERR: 5, SUM: 2},
        [
            ("Show me the big log of the job runner again", "text", OUT),
            ("Long output expected; watch for truncation.", "reasoning", OUT),
            ("does_not_exist.toml: No such file or directory", "error", OUT | ERR),
            ("Turn Context (split turn)", "text", SUM),
        ],
    ),
    "tallow": Golden(
        {"assistant": 175, "user": 128},
        {"text": 276, "reasoning": 167, "tool": 25, "label": 5, "compaction": 2},
        {"read": 24, "bash": 1},
        {Flag.ABANDONED: 2, OUT: 16, SUM: 2, SYN: 1},
        [
            ("what about a bloom filter of seen event ids", "text", Flag.ABANDONED),
            ("I should read the file first.", "reasoning", OUT),
            ("edited src/orders/settlement.py (+38 -12)", "output", OUT),
            ("Stop nightly deadlocks in settle_batch", "text", SUM),
            ("codename copper anchor", "text", SYN),
        ],
        {"019ee479": "019cb981"},
    ),
    "praisonai": Golden(
        {"assistant": 251, "user": 204, "system": 1},
        {"text": 431, "tool": 25, "file": 1},
        {"read_file": 24, "run": 1},
        {SYN: 12, OUT: 30, SUM: 1},
        [
            ("Refactor step 0: move module_000.py", "text", OUT),
            ("[Session Summary]", "text", SUM),
            ("nightly job 0: billing webhook health check", "text", SYN),
        ],
    ),
    "memo-agent": Golden(
        {"assistant": 171, "user": 125},
        {"text": 272, "tool": 24},
        {"ReadFile": 24},
        {OUT: 6, SUM: 1},
        [
            ("I tried raising deadlock_timeout to 5 s", "text", OUT),
            ("edited src/orders/settlement.py (+38 -12)", "output", OUT),
            ("[Previous conversation summary", "text", SUM),
        ],
        {"7d9acec2": "af00f5fe", "af00f5fe": "bb1a51b2"},
    ),
    "opencode-storage-json": Golden(
        {"assistant": 18, "user": 6},
        {"text": 24, "step-start": 18, "reasoning": 18, "step-finish": 18, "tool": 12, "patch": 1},
        {"bash": 8, "read": 2, "task": 1, "todowrite": 1},
        {SUB: 10, ERR: 1},
        [
            ("Subagent report: two Python files", "text", SUB),
            ("Only read-only tools here.", "reasoning", SUB),
            ("File not found: /home/al/code/acme-api/src/nope_missing.py", "error", ERR),
        ],
        {"ses_e002421f7": "ses_e002424d0"},
    ),
}  # fmt: skip


def everything(store: Path) -> tuple[list[Session], list[tuple[Session, Message, Part]]]:
    sessions, reports = read_all(open_sources(store))
    assert not [error for report in reports for error in report.errors]
    return sessions, [(s, message, part) for s in sessions for message in s.messages for part in message.parts]


def holds(part: Part, words: str, place: str) -> bool:
    if place == "reasoning":
        return part.type == "reasoning" and words in (part.text or "")
    return part.type != "reasoning" and words in (getattr(part, place) or "")


@pytest.mark.parametrize("name", STORES)
def test_a_store_is_read_as_it_is_known(shared: Path, name: str) -> None:
    golden = STORES[name]
    sessions, places = everything(shared / "stores" / name)
    assert Counter(message.role for session in sessions for message in session.messages) == golden.roles
    assert Counter(part.type for *_, part in places) == golden.types
    assert Counter(part.tool for *_, part in places if part.tool) == golden.tools
    flags = Counter(part.flags | message.flags | session.flags for session, message, part in places)
    del flags[Flag.NONE]
    assert dict(flags) == golden.flags
    found = {session.id: session.parent for session in sessions if session.parent}
    assert len(found) == len(golden.parents)
    for child, parent in found.items():
        assert any(child.startswith(one) and parent.startswith(other) for one, other in golden.parents.items())
    for words, place, flag in golden.phrases:
        where = [(s, m, p) for s, m, p in places if holds(p, words, place)]
        assert where, words
        assert any(p.flags | m.flags | s.flags == flag for s, m, p in where), words
    assert not [session.id for session in sessions if not session.title]
