"""The kinds of record in a Claude Code transcript, and how such a file is told from others."""

from __future__ import annotations

from dataclasses import dataclass, field

from recall_rank.loaders.jsonl import Line, Record
from recall_rank.model import Flag, Part, Role

AGENT = "claude-code"
STARTS = ('{"type":', '{"parentUuid":', '{"isSidechain":', '{"uuid":', '{"sessionId":', '{"message":')

SAID = {"user", "assistant"}
TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "agent-name": "agentName"}
REPEATS = {
    *("progress", "file-history-snapshot", "queue-operation", "last-prompt", "mode", "permission-mode", "pr-link"),
    *("tag", "agent-color", "agent-setting", "worktree-state", "content-replacement", "marble-origami"),
}
KNOWN = {*SAID, *TITLES, *REPEATS, "system", "summary", "attachment"}
_IDENTIFIED = ("sessionId", "uuid", "leafUuid", "messageId")
_PROGRESS = b'"type":"progress"'


def is_progress(line: Line) -> bool:
    """Whether a line is a progress record: most of the bytes of a real store, and nothing that is not
    elsewhere. Found by its bytes, without parsing."""
    at = line.find(_PROGRESS, 0, 512)
    if at < 0 or line.find(b'"message":', 0, at) >= 0 or line.find(b'"data":', 0, at) >= 0:
        return False
    return line[-2:].rstrip(b"\r").endswith(b"}")  # a torn one is parsed, so that it is counted


def looks_like(record: Record) -> bool:
    """Whether Claude Code writes such records."""
    return record.get("type") in KNOWN and any(key in record for key in _IDENTIFIED)


@dataclass(slots=True)
class Draft:
    """A message that later lines may add to."""

    id: str
    role: Role
    time: int
    flags: Flag
    agent: str | None
    model: str | None
    uuids: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
