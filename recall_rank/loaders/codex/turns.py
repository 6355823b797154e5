"""Hold the turns of a Codex conversation while they are built, and apply records that change earlier turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from recall_rank.loaders.codex.items import texts_of
from recall_rank.loaders.content.usage import add_tokens, tokens_of
from recall_rank.loaders.content.values import text_of
from recall_rank.loaders.json.parse import Record
from recall_rank.model import Flag, Message, Part, Role, Tokens


@dataclass(slots=True)
class RolloutTurn:
    """A message of a Codex conversation that later records may extend."""

    id: str
    role: Role
    time: int
    model: str | None
    flags: Flag = Flag.NONE
    author: str | None = None
    parts: list[Part] = field(default_factory=list)
    typed: bool = False  # by a person, at least in part
    tokens: Tokens | None = None

    def message(self, agent: str | None) -> Message:
        return Message(
            self.id,
            self.role,
            self.time,
            tuple(self.parts),
            self.author,
            agent,
            self.model,
            self.flags,
            self.tokens,
        )


def account(turns: Sequence[RolloutTurn], usage: Record) -> bool:
    """Add token counts to the last answer of the model. Returns False when there are counts but no answer among the
    turns, so that they could not be added.
    """
    names = ("input_tokens", "output_tokens", "cached_input_tokens", "reasoning_output_tokens")
    used = tokens_of(*map(usage.get, names))
    turn = next((turn for turn in reversed(turns) if turn.role == "assistant"), None)
    if turn is not None:
        turn.tokens = add_tokens(turn.tokens, used)
    return turn is not None or used is None


def roll_back(turns: Sequence[RolloutTurn], count: object) -> None:
    """Flag as abandoned the last `count` turns that a user typed, and all turns that follow the first of these. Turns
    that are already abandoned do not count.
    """
    count = count if type(count) is int else 0
    for turn in reversed(turns):
        if count <= 0:
            return
        if not turn.flags & Flag.ABANDONED:
            count -= turn.typed
            turn.flags |= Flag.ABANDONED


def compact(turns: Sequence[RolloutTurn], record: Record) -> str | None:
    """Flag the turns that a compaction removed from the context, and return its summary. Returns None when it has no
    summary or when the last turn already is the summary.
    """
    history = record.get("replacement_history")
    kept = [item for item in history if type(item) is dict] if type(history) is list else []
    ids = {text_of(item.get("id")) for item in kept}
    said = {text for item in kept if item.get("role") == "user" for text in texts_of(item.get("content"))}
    for turn in turns:
        items = {turn.id, *(part.id.rpartition(":")[0] for part in turn.parts)}
        stays = not ids.isdisjoint(items) or (turn.typed and all(part.text in said for part in turn.parts))
        turn.flags |= Flag.NONE if stays else Flag.OUT_OF_CONTEXT
    summary = text_of(record.get("message")) or None
    if summary and turns and turns[-1].flags & Flag.SUMMARY:
        last = turns[-1]
        last.flags &= ~Flag.OUT_OF_CONTEXT
        if all(part.text and part.text in summary for part in last.parts if part.type == "text"):
            return None
    return summary
