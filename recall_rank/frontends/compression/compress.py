"""compress: a conversation in three zones, HEAD, MIDDLE and TAIL, which goes on in place of the whole.

Nothing is written, and no session is made. The result is a list of messages in the form that was given, which a chat
API takes when it took the input: no result of a tool is without its call, and the zones meet between a user's and an
agent's message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from recall_rank.frontends.compression.conversation import (
    BRIDGES,
    Count,
    Given,
    conversation_of,
    said,
    tokens_of,
)
from recall_rank.frontends.compression.summary_prompt import (
    SUMMARY_SECONDS,
    SYSTEM,
    summary_prompt,
)
from recall_rank.frontends.compression.summary_text import (
    Prose,
    findings_of,
    former_prose,
    ranked_by_focus,
    summary_text,
)
from recall_rank.frontends.compression.usage import Prices, Usage, usage_of
from recall_rank.frontends.compression.zones import ZoneBudget, ZonePlan, zone_plan
from recall_rank.frontends.curators.curator import CuratorCancelledError, CuratorError, never
from recall_rank.frontends.curators.summarizer import Summarizer, summary_of
from recall_rank.frontends.display_text import one_line
from recall_rank.frontends.transcripts.statistics import estimated_tokens
from recall_rank.model import Flag, Message
from recall_rank.model.chat_messages import CHAT_ROLES
from recall_rank.model.option_errors import error_text

FINDINGS: Final = "durable findings"
_AROUND_SUMMARY: Final = 40  # tokens of the lines beside the summary, and of the roles of these messages


@dataclass(frozen=True, slots=True)
class ModelUse:
    """Estimated tokens that the summarizer was sent and returned, with what they cost where prices are known."""

    sent: int
    received: int
    dollars: float | None


@dataclass(frozen=True, slots=True)
class Compressed:
    """A conversation after compress(). Unless `changed`, TAIL is the conversation as it was given, and the other zones
    are empty.

    `author` is who wrote the summary: the name of the summarizer or "durable findings". `left_out` counts the findings
    that had no room in it. `notes` say what a person should know, such as that the summarizer failed.
    """

    changed: bool
    reason: str
    head: tuple[Given, ...]
    middle: tuple[Given, ...]
    tail: tuple[Given, ...]
    before: Usage
    after: Usage
    summary: str = ""
    author: str = ""
    left_out: int = 0
    model_use: ModelUse | None = None
    notes: tuple[str, ...] = ()

    @property
    def messages(self) -> tuple[Given, ...]:
        """The messages to go on with, in order."""
        return (*self.head, *self.middle, *self.tail)


def compress(
    messages: Sequence[Given],
    window: int,
    *,
    force: bool = False,
    focus: str | None = None,
    summarizer: Summarizer | None = None,
    count: Count = estimated_tokens,
    prices: Prices | None = None,
    budget: ZoneBudget | None = None,
    seconds: float = SUMMARY_SECONDS,
    cancelled: Callable[[], bool] = never,
) -> Compressed:
    """Compress a conversation when it fills 85 % of a model's window, else return it unchanged.

    `messages` are Message records or chat messages as JSON objects, in order; `window` is in tokens. `force` and
    `focus` compress whatever the window holds. `focus` says what the summary should be about. `summarizer` writes it;
    without one, and when it fails, which `notes` say, the summary consists of the sentences that state decisions,
    constraints, root causes and pending work, those that answer the focus first. Decisions stand there word for word
    in both cases. A former summary is carried over.

    `count` estimates tokens and `prices` turns them into dollars. No zone has more than its `budget`, which shrinks
    where system texts leave less than 56,000 tokens of the window; they are kept in full and do not count.

    Raises TypeError and ValueError for what is no message and for a wrong window, CuratorCancelledError when the call
    was cancelled while the summarizer was working.
    """
    conversation = conversation_of(messages, count)
    before = usage_of(conversation.tokens(), window, prices)
    manual = force or bool(focus and focus.strip())
    whole = tuple(each.given for each in conversation.messages)
    unchanged = Compressed(changed=False, reason="", head=(), middle=(), tail=whole, before=before, after=before)
    if not manual and before.state != "compress":
        return _because(unchanged, "it fits the window")
    system = sum(each.tokens for each in conversation.messages if each.role == "system")
    budget = (budget or ZoneBudget()).within(max(window - system, window // 10))
    plan = zone_plan(conversation, budget)
    if not plan.middle and not _is_cut(plan, whole):
        return _because(replace(unchanged, notes=_full(before)), "there is nothing between the first and the last zone")
    model = None if summarizer is None else _Model(summarizer, prices, seconds, cancelled)
    told = _summary_of(plan, budget.middle - _AROUND_SUMMARY, focus, model, count)
    middle = tuple(_middle(plan, said("user", told.text, whole[0], Flag.SUMMARY))) if told.text else ()
    after = usage_of(sum(tokens_of(each, count) for each in (*plan.head, *middle, *plan.tail)), window, prices)
    if after.tokens >= before.tokens:
        return _because(replace(unchanged, notes=_full(before)), "the three zones would not be smaller")
    notes = [*plan.notes, *told.notes, *_full(after)]
    reason = "called by hand" if manual else f"it fills {before.per_cent} of the window"
    return Compressed(
        changed=True,
        reason=reason,
        head=plan.head,
        middle=middle,
        tail=plan.tail,
        before=before,
        after=after,
        summary=told.text,
        author=told.author,
        left_out=told.left_out,
        model_use=told.use,
        notes=tuple(notes),
    )


def _full(left: Usage) -> tuple[str, ...]:
    """Return a note where what cannot be compressed further still fills the window."""
    told = f"system texts and the last messages alone fill {left.per_cent} of the window"
    return (told,) if left.state == "compress" else ()


def _because(unchanged: Compressed, reason: str) -> Compressed:
    return replace(unchanged, reason=reason)


def _is_cut(plan: ZonePlan, whole: Sequence[Given]) -> bool:
    """Return whether a message of HEAD or TAIL was cut."""
    given = {id(each) for each in whole}
    return any(id(each) not in given for each in (*plan.head, *plan.tail))


@dataclass(frozen=True, slots=True)
class _Model:
    """A summarizer, what it costs, how long it may take, and what is asked whether the call was cancelled."""

    summarizer: Summarizer
    prices: Prices | None
    seconds: float
    cancelled: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class _Summary:
    """The text of MIDDLE, and how it was made."""

    text: str
    author: str = ""
    left_out: int = 0
    use: ModelUse | None = None
    notes: tuple[str, ...] = ()


def _summary_of(plan: ZonePlan, tokens: int, focus: str | None, model: _Model | None, count: Count) -> _Summary:
    """Return the summary of the messages that neither HEAD nor TAIL keeps, "" when there are none."""
    if not plan.middle and not plan.summaries:
        return _Summary("")
    findings = findings_of(plan.middle, plan.summaries)
    prose, author, use = former_prose(plan.summaries), FINDINGS, None
    notes: list[str] = []
    if model is not None and plan.middle:
        prompt = summary_prompt(plan.request, plan.middle, plan.summaries, focus, count)
        ask = model.summarizer
        try:
            answer = summary_of(ask, SYSTEM, prompt.text, seconds=model.seconds, cancelled=model.cancelled)
        except CuratorCancelledError:
            raise
        except CuratorError as error:
            notes.append(f"no summary by a model: {error_text(error)}; the {FINDINGS} stand in for it")
        else:
            author = one_line(str(ask.name))[:80]
            prose = Prose(answer, author)
            findings = [each for each in findings if each.kind == "decision"]
            sent, received = count(SYSTEM) + count(prompt.text), count(answer)
            cost = None if model.prices is None else model.prices.dollars(sent, received)
            use = ModelUse(sent, received, cost)
            if prompt.left_out:
                notes.append(f"the summarizer was not sent the oldest {prompt.left_out:,} exchanges")
    first = ranked_by_focus(findings, focus)
    text, left_out = summary_text(findings, prose=prose, first=first, tokens=tokens, count=count)
    if left_out:
        notes.append(f"{left_out:,} findings had no room in the summary")
    return _Summary(text, author, left_out, use, tuple(notes))


def _middle(plan: ZonePlan, summary: Given) -> Iterator[Given]:
    """Yield the summary, which a user says, with a line of the agent before or behind it where the neighbouring
    message is a user's, too: several providers take no two messages of a user in a row.
    """
    before = [role for role in map(_role, plan.head) if role != "system"]
    behind = [role for role in map(_role, plan.tail) if role != "system"]
    if before and before[-1] == "user":
        yield said("assistant", BRIDGES[0], summary)
    yield summary
    if behind and behind[0] == "user":
        yield said("assistant", BRIDGES[1], summary)


def _role(given: Given) -> str:
    role = given.role if isinstance(given, Message) else str(given["role"])
    return CHAT_ROLES.get(role, role)
