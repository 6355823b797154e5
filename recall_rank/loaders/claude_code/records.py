"""Tell apart the records of a Claude Code transcript, and recognise such a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from recall_rank.loaders.content.usage import dollars, tokens_of
from recall_rank.loaders.json.parse import RawJson, Record
from recall_rank.model import Flag, Message, Part, Role, Tokens

AGENT = "claude-code"
STARTS = ('{"type":', '{"parentUuid":', '{"isSidechain":', '{"uuid":', '{"sessionId":', '{"message":')

SAID = {"user", "assistant"}
TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "agent-name": "agentName"}
REPEATS = {
    *("progress", "file-history-snapshot", "queue-operation", "last-prompt", "mode", "permission-mode", "pr-link"),
    *("tag", "agent-color", "agent-setting", "worktree-state", "content-replacement", "marble-origami"),
    # of requests to the model, since 2.1.330: their blobs repeat whole messages and outputs of tools
    *("api-request", "api-request-shape", "api-request-blob", "atis-latch", "tools-used", "cost-state"),
}
KNOWN = {*SAID, *TITLES, *REPEATS, "system", "summary", "attachment"}
_IDENTIFIED = ("sessionId", "uuid", "leafUuid", "messageId")
_PROGRESS = b'"type":"progress"'


def is_progress(line: RawJson) -> bool:
    """Return whether a line is a progress record, decided by its bytes without parsing.

    Progress records make up most bytes of a real store, and their content is also in other records.
    """
    at = line.find(_PROGRESS, 0, 512)
    if at < 0 or line.find(b'"message":', 0, at) >= 0 or line.find(b'"data":', 0, at) >= 0:
        return False
    return line[-2:].rstrip(b"\r").endswith(b"}")  # a torn one is parsed, so that it is counted


def looks_like(record: Record) -> bool:
    """Return whether a record has the form of Claude Code's records."""
    return record.get("type") in KNOWN and any(key in record for key in _IDENTIFIED)


@dataclass(slots=True)
class ClaudeDraft:
    """A message that later lines of the file may extend."""

    id: str
    role: Role
    time: int
    flags: Flag
    agent: str | None
    model: str | None
    uuids: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    usage: dict[str, Any] = field(default_factory=dict)  # every line of an answer has it, the last one completely
    cost: float | None = None

    def used(self, usage: Any, cost: Any) -> None:
        """Record the token counts and the cost of the answer as one line states them; those of a later line replace
        them.
        """
        if type(usage) is dict and usage:
            self.usage = usage
        if cost is not None:
            self.cost = dollars(cost) or self.cost

    def tokens(self) -> Tokens | None:
        """Return the token counts of the answer. Claude Code's input count excludes cached tokens; this one includes
        them.
        """
        usage = self.usage
        if not usage:
            return None
        read = usage.get("cache_read_input_tokens")
        beside = (usage.get("cache_creation_input_tokens"), read)
        return tokens_of(usage.get("input_tokens"), usage.get("output_tokens"), read, beside_sent=beside)

    def message(self, flags: Flag) -> Message:
        return Message(
            self.id,
            self.role,
            self.time,
            tuple(self.parts),
            None,
            self.agent,
            self.model,
            self.flags | flags,
            self.tokens(),
            self.cost,
        )
