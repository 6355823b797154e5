"""Divide a conversation into zones: which messages are kept from its beginning and its end, and which are replaced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from recall_rank.analysis.compaction_notes import compaction_notes
from recall_rank.frontends.compression.conversation import (
    Conversation,
    Given,
    SizedMessage,
    said,
    tokens_of,
)
from recall_rank.frontends.compression.cut_messages import fitted, with_note
from recall_rank.model import Message, Session

REST_MARK: Final = (
    "[... messages that followed in this round are left out; the summary above may tell what was said in them, "
    "not what tools returned ...]"
)
_MOST_OF_ROOM: Final = 0.5  # which system texts leave in the window
_WORTH_CUTTING: Final = 8  # a tool call is cut to the room that is left where that is this part of TAIL or more


@dataclass(frozen=True, slots=True)
class ZoneBudget:
    """The most tokens that each zone may have, without system texts, and the most rounds that TAIL may have."""

    head: int = 4_000
    middle: int = 4_000
    tail: int = 20_000
    rounds: int = 20

    def __post_init__(self) -> None:
        """Raise ValueError for a budget that is not positive."""
        if min(self.head, self.middle, self.tail, self.rounds) < 1:
            raise ValueError("every budget of a zone must be 1 or more")

    def within(self, room: int) -> ZoneBudget:
        """Return the budget, made smaller in proportion where the zones would fill over half of `room` tokens."""
        share = _MOST_OF_ROOM * room / (self.head + self.middle + self.tail)
        if share >= 1:
            return self
        head, middle, tail = (max(1, int(each * share)) for each in (self.head, self.middle, self.tail))
        return replace(self, head=head, middle=middle, tail=tail)


@dataclass(frozen=True, slots=True)
class ZonePlan:
    """The messages that HEAD and TAIL keep, and those between them, which a summary replaces.

    `request` is the first request of the user, if HEAD keeps it whole. `middle` has no system messages and no summaries
    and bridges of former compressions, but every request that was cut; `summaries` are the former summaries, oldest
    first.
    """

    head: tuple[Given, ...]
    request: tuple[Given, ...]
    middle: tuple[SizedMessage, ...]
    summaries: tuple[SizedMessage, ...]
    tail: tuple[Given, ...]
    notes: tuple[str, ...]


def zone_plan(conversation: Conversation, budget: ZoneBudget) -> ZonePlan:
    """Divide a conversation.

    HEAD has every system text before TAIL, in full, equal ones once; the first request of the user; and the text of
    the agent's first message that states a decision, without its tool calls. TAIL has the last rounds: as many as have
    `budget.tail` tokens and at most `budget.rounds`, so whichever is less text. Twenty rounds without tools are short
    and older ones would only be noise; twenty with tools can be longer than the window, so the tokens limit them.

    The last round is in TAIL even when it is larger. Then it is cut: its request stays, and of what followed as much as
    fits, newest first, never a call without its result. The first call that does not fit is cut, with its results, to
    the room that is left, unless that is little. Behind the request stands a mark where messages are left out.
    """
    notes: list[str] = []
    tail_start, request, tail = _tail(conversation, budget, notes)
    first = next((at for at in conversation.rounds if at < tail_start and at != request), None)
    before = conversation.messages[:tail_start]
    beginning = [] if first is None else [*_beginning(conversation, first, tail_start, budget, notes)]
    if first is None or beginning[0] is not conversation.messages[first].given:
        first = None
    middle = tuple(
        each
        for at, each in enumerate(before)
        if at not in (first, request) and each.role != "system" and not each.is_summary and not each.is_bridge
    )
    summaries = tuple(each for each in before if each.is_summary)
    whole = () if first is None else (conversation.messages[first].given,)
    return ZonePlan((*_system(before), *beginning), whole, middle, summaries, tuple(tail), tuple(notes))


def _tail(conversation: Conversation, budget: ZoneBudget, notes: list[str]) -> tuple[int, int | None, list[Given]]:
    """Return the index at which TAIL starts, the index of an earlier request that TAIL keeps whole, and TAIL."""
    size = len(conversation.messages)
    start = size
    for at in conversation.rounds[::-1][: budget.rounds]:
        if conversation.tokens(at) > budget.tail:
            break
        start = at
    if start < size or not size:
        return start, None, [each.given for each in conversation.messages[start:]]
    return _cut_round(conversation, budget, notes)


def _cut_round(conversation: Conversation, budget: ZoneBudget, notes: list[str]) -> tuple[int, int | None, list[Given]]:
    """Return TAIL for a last round that is larger than its budget: its request and the newest messages that fit.

    The request of the only round is in HEAD instead.
    """
    messages, count = conversation.messages, conversation.count
    begin = conversation.rounds[-1] if conversation.rounds else 0
    last_start = conversation.stretches[-1][0]
    request = begin if len(conversation.rounds) > 1 and begin < last_start else None
    left = budget.tail
    kept: list[Given] = []
    asked = messages[begin].given
    if request is not None:
        if conversation.tokens(request + 1) > budget.tail - budget.tail // 4:
            asked = with_note(asked, REST_MARK)
        kept = fitted([asked], budget.tail // 4, count) or [asked]
        left -= _size(kept, conversation)
    start, rest = _newest(conversation, begin, left, budget, notes)
    if start == len(messages):  # not even the newest messages fit
        start = last_start
        rest = [each.given for each in messages[start:]]
        cut = None if messages[start].role == "system" else fitted(rest, max(left, 0), count)
        state = ", and were cut" if cut else ", cannot be cut that far, and were kept in full"
        notes.append(f"the newest messages are larger than the last zone may be{state}")
        rest = cut or rest
    if start > begin + bool(conversation.rounds):
        notes.append(
            "the last round is larger than the last zone may be: its older messages are replaced by the summary, "
            "and what tools returned is not in the summary"
        )
    if request is not None:
        if start == request + 1:  # nothing is left out behind it
            asked = messages[request].given
            kept = fitted([asked], _size(kept, conversation), count) or [asked]
        request = request if kept[0] is asked else None
    return start, request, [*kept, *rest]


def _newest(
    conversation: Conversation, begin: int, left: int, budget: ZoneBudget, notes: list[str]
) -> tuple[int, list[Given]]:
    """Return the index at which the newest messages behind the request at `begin` start, and these messages.

    They have at most `left` tokens. The oldest of them are a tool call with its results, cut, where that call does not
    fit and the room for it is worth it. There are none when the last message does not fit.
    """
    messages = conversation.messages
    start, cut = len(messages), None
    for low, high in reversed(conversation.stretches):
        tokens = conversation.tokens(low, high)
        if low < begin or (low == begin and conversation.rounds):
            break
        if tokens > left:
            calls = any(part.type == "tool" for each in messages[low:high] for part in each.record.parts)
            if high < len(messages) and calls and left >= budget.tail // _WORTH_CUTTING:
                cut = fitted([each.given for each in messages[low:high]], left, conversation.count)
            if cut:
                start = low
                notes.append("a tool call of the last round is larger than the room that was left, and was cut")
            break
        start, left = low, left - tokens
    whole = messages[start + len(cut or ()) :]
    return start, [*(cut or ()), *(each.given for each in whole)]


def _beginning(
    conversation: Conversation, first: int, end: int, budget: ZoneBudget, notes: list[str]
) -> Iterator[Given]:
    """Yield the first request, cut if it is larger than HEAD, and the message with the first decision of the agent."""
    messages = conversation.messages
    given = messages[first].given
    cut = [given] if messages[first].tokens <= budget.head else fitted([given], budget.head, conversation.count)
    if not cut or cut[0] is not given:
        state = ", and was cut" if cut else ", cannot be cut that far, and was kept in full"
        notes.append(f"the first request is larger than the first zone may be{state}")
    cut = cut or [given]
    yield cut[0]
    left = budget.head - _size(cut, conversation)
    for each in messages[first + 1 : end]:
        decided = _decisions(each.record) if each.role == "assistant" else []
        if decided:
            whole, sentences = (said("assistant", text, given) for text in (each.text, "\n".join(decided)))
            fit = (one for one in (whole, sentences) if _size([one], conversation) <= left)
            yield from [*fit][:1]
            return


def _decisions(record: Message) -> list[str]:
    """Return the sentences of one message that state a decision."""
    texts = replace(record, parts=tuple(part for part in record.parts if part.type == "text"))
    return [note.text for note in compaction_notes(Session("one", (texts,))) if note.kind == "decision"]


def _system(messages: Iterable[SizedMessage]) -> Iterator[Given]:
    """Yield the system messages, equal ones once."""
    seen: list[Given] = []
    for each in messages:
        if each.role == "system" and each.given not in seen:
            seen.append(each.given)
            yield each.given


def _size(given: Iterable[Given], conversation: Conversation) -> int:
    return sum(tokens_of(each, conversation.count) for each in given)
