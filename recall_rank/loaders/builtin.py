"""The table of this package's loaders. A loader's module is imported only when a path may be a store of its agent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from recall_rank.loaders.store_hints import StoreHints
from recall_rank.model import Source

DATABASES = (".db", ".sqlite", ".sqlite3")


def _nothing(path: Path) -> Source | None:  # noqa: ARG001
    return None


@dataclass(frozen=True, slots=True)
class Loader:
    """The functions that find the stores of one agent. They write nothing, follow no links and do not raise errors
    for files that other programs wrote.
    """

    name: str
    recognise: Callable[[Path], Source | None]  # the store at exactly this path: a file or a folder
    stores: Callable[[Mapping[str, str], Path], Iterable[Source]]  # environment, home folder -> stores of the machine
    insist: Callable[[Path], Source | None] = _nothing  # asked last, for a file that the caller named


def _loader(name: str, module: str, hints: StoreHints, insist: str = "named") -> Loader:
    """Return the Loader that a module of this package implements. The module is imported only for a path that may be a
    store of its agent, judged by the file names and first bytes in `hints`. `insist` is the name of its function for
    files that the caller named.
    """

    def loaded() -> Any:
        return import_module(f"recall_rank.loaders.{module}")

    def recognise(path: Path) -> Source | None:
        source: Source | None = loaded().recognise(path) if hints.may_be_store(path) else None
        return source

    def stores(environ: Mapping[str, str], home: Path) -> Iterator[Source]:
        if not hints.may_be_on_machine(environ, home):
            return
        closed = hints.closed_places(environ, home)
        if closed:
            from recall_rank.loaders.unreadable import UnreadableStore  # rare

            yield from (UnreadableStore(name, place) for place in closed)
        with suppress(*([PermissionError] if closed else [])):
            yield from loaded().stores(environ, home)

    def insisted(path: Path) -> Source | None:
        source: Source | None = getattr(loaded(), insist)(path) if hints.may_be_named(path) else None
        return source

    return Loader(name, recognise, stores, insisted if hints.insists else _nothing)


OPENCODE = StoreHints(
    files=DATABASES, begins="opencode", insists=DATABASES, variables=("OPENCODE_DB",), homes=("$data/opencode",)
)
OPENCODE_JSON = StoreHints(inside=("session",), homes=("$data/opencode/storage", "$data/opencode/project"))
OPENCODE_EXPORT = StoreHints(files=(".json",), insists=(".json", ".txt", ".log"))
CLAUDE_CODE = StoreHints(
    files=(".jsonl",),
    words=(b'"sessionId"', b'"uuid"', b'"leafUuid"', b'"messageId"'),
    folders=(".claude",),
    inside=("projects", "*.jsonl", "*/*.jsonl"),
    variables=("CLAUDE_CONFIG_DIR",),
    homes=(".claude", "$config/claude"),
)
CODEX = StoreHints(
    files=(".jsonl", ".jsonl.zst"),
    begins="rollout-",
    inside=("sessions", "archived_sessions", "rollout-*", "[0-9][0-9][0-9][0-9]"),
    variables=("CODEX_HOME",),
    homes=(".codex",),
)
GEMINI = StoreHints(
    files=(".jsonl", ".json"),
    words=(b'"projectHash"',),
    folders=("chats",),
    inside=("chats", "*/chats", "tmp/*/chats"),
    variables=("GEMINI_CLI_HOME",),
    homes=(".gemini",),
)
COPILOT = StoreHints(
    files=(".jsonl",),
    words=(b'"session.', b'"user.', b'"assistant.'),
    folders=("session-state",),
    inside=("events.jsonl", "session-state", "*/events.jsonl"),
    variables=("COPILOT_HOME",),
    homes=(".copilot",),
)
HERMES = StoreHints(
    files=("state.db",), insists=DATABASES, variables=("HERMES_HOME",), homes=(".hermes", "$data/hermes")
)
TALLOW = StoreHints(
    files=(".jsonl",),
    words=(b'"cwd"',),
    inside=("sessions", "*.jsonl", "--*--"),
    variables=("TALLOW_CODING_AGENT_DIR",),
    homes=(".tallow", ".config/tallow-work-dirs"),
)
PI = StoreHints(
    files=(".jsonl",),
    words=(b'"cwd"',),
    inside=("sessions", "*.jsonl", "--*--"),
    variables=("PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR"),
    homes=(".pi",),
)
PRAISONAI = StoreHints(
    files=(".json",),
    inside=("sessions", "*.json"),
    variables=("PRAISONAI_HOME",),
    homes=(".praisonai", ".praison"),
)
CURSOR = StoreHints(
    files=("state.vscdb",),
    inside=("User", "globalStorage"),
    insists=(*DATABASES, ".vscdb"),
    variables=("CURSOR_STATE_DB",),
    homes=("$config/Cursor", "AppData/Roaming/Cursor"),
)
CURSOR_CLI = StoreHints(
    files=("store.db", ".jsonl"),
    words=(b'"role"',),
    folders=(".cursor", "agent-transcripts", "chats"),
    variables=("CURSOR_CONFIG_DIR", "CURSOR_DATA_DIR"),
    homes=(".cursor", "$config/cursor"),
)
GOOSE = StoreHints(
    files=("sessions.db", ".jsonl"),
    words=(b'"working_dir"',),
    inside=("*.jsonl",),
    insists=DATABASES,
    variables=("GOOSE_PATH_ROOT",),
    homes=("$data/goose", "$data/Block", "$data/Block.goose"),
)
MEMO_AGENT = StoreHints(files=("sessions.db",), insists=DATABASES, homes=(".memo-agent",))
AIDER = StoreHints(
    files=(".aider.chat.history.md",),
    insists=(".md",),
    variables=("AIDER_CHAT_HISTORY_FILE",),
    homes=("$above/.aider.chat.history.md",),
)
SPECSTORY = StoreHints(files=(".md",), folders=(".specstory", "history"), homes=("$above/.specstory/history",))
HISTORY = StoreHints(
    files=(".jsonl", ".jsonl.gz", ".jsonl.xz"), words=(b'"t"',), insists=(".jsonl", ".jsonl.gz", ".jsonl.xz")
)

LOADERS = (
    _loader("opencode", "opencode.source", OPENCODE),
    _loader("opencode-json", "opencode.json_tree", OPENCODE_JSON),
    _loader("opencode-export", "opencode.export", OPENCODE_EXPORT),
    _loader("claude-code", "claude_code.source", CLAUDE_CODE),
    _loader("codex", "codex.source", CODEX),
    _loader("gemini-cli", "gemini.source", GEMINI),
    _loader("copilot-cli", "copilot.source", COPILOT),
    _loader("hermes", "hermes.source", HERMES),
    _loader("tallow", "pi.tallow", TALLOW),  # before pi, which recognises its format in any home
    _loader("pi", "pi.source", PI),
    _loader("praisonai", "praisonai", PRAISONAI),
    _loader("cursor", "cursor.source", CURSOR),
    _loader("cursor-cli", "cursor.cli_source", CURSOR_CLI),
    _loader("goose", "goose.source", GOOSE),
    _loader("memo-agent", "memo_agent.source", MEMO_AGENT),
    _loader("aider", "aider.source", AIDER),
    _loader("specstory", "specstory.source", SPECSTORY),  # after the agents whose sessions it repeats
    _loader("history", "history_jsonl", HISTORY, insist="unreadable"),
)
