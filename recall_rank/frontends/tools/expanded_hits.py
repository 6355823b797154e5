"""The parameter `expand` of the tool `recall`: return the first hits as whole messages, or with their neighbours.

Two budgets limit the number of messages and of characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from recall_rank.analysis.fields import is_recall_tool
from recall_rank.frontends.redaction.redacted_answers import without_secrets
from recall_rank.frontends.tools.call_context import CallContext
from recall_rank.frontends.tools.recall_request import RecallRequest
from recall_rank.frontends.tools.transcript_tools import full_message
from recall_rank.frontends.tools.warnings import Warnings
from recall_rank.model import Message, Result
from recall_rank.model.agent_names import named_id
from recall_rank.model.option_errors import error_text
from recall_rank.model.serialize import repaired
from recall_rank.model.serialize_transcript import heading_to_dict

FIELD_CHARS: Final = 4000
MARKER: Final = "\n[truncated by recall expansion]"
OMITTED: Final = "[recall output omitted]"
_FIELDS: Final = ("content", "output", "error")


def expanded_hits(
    call: CallContext, request: RecallRequest, results: Sequence[Result], warnings: Warnings
) -> list[dict[str, Any]]:
    """Return the first hits among `results`, titles excepted, as JSON objects with whole messages or with neighbours.

    Messages and texts are cut to the budgets of the request. `warnings` gets a note on cuts, and on messages that can
    no longer be read.
    """
    given = request.given
    wanted = min(given["expand_results"], 3)
    chosen = [(at, hit) for at, hit in enumerate(results) if hit.source != "title"][:wanted]
    if results and not chosen:
        warnings.add("expansion_title_only", "Nothing was expanded: only titles match, and a title has no message")
    budget = _Budget(given["expand_budget_messages"], given["expand_budget_chars"], redact=call.options.redact)
    window = _window(given["window"], given["expand_budget_messages"], given["expand_results"], call.options.max_window)
    found: list[dict[str, Any]] = []
    for at, hit in chosen:
        entry: dict[str, Any] = {
            "result_index": at,
            "session_id": repaired(hit.session_id),
            "message_id": repaired(hit.message_id),
            "mode": given["expand"],
        }
        try:
            if given["expand"] == "message":
                turn = call.histories.get(named_id(hit.session_id, hit.host), hit.message_id)
                entry["message"] = budget.formatted(turn.message)
                entry["context"] = heading_to_dict(turn.session)
            elif not _put_neighbours(call, hit, window, budget, entry):
                break
        except (LookupError, OSError) as error:  # gone or locked since it was indexed
            warnings.add("expansion_failed", f"Message {hit.message_id} could not be read again: {error_text(error)}")
            continue
        found.append(entry)
    if budget.context_cut:
        warnings.add("expansion_context_capped", "Context was cut: the message budget of the expansion is used up")
    if budget.text_cut:
        warnings.add("expansion_text_capped", "Text was cut: read the whole message with recall_get")
    return found


def _put_neighbours(call: CallContext, hit: Result, window: int, budget: _Budget, entry: dict[str, Any]) -> bool:
    """Put the messages around a hit into its JSON object `entry`.

    At most `window` messages are put on each side, and as many as the budget has left. Returns false when it has none
    left.
    """
    if budget.messages <= 0:
        budget.context_cut = True
        return False
    around = call.histories.context(named_id(hit.session_id, hit.host), hit.message_id, window=window)
    first, last = 0, len(around.messages)
    if last > budget.messages:
        budget.context_cut = True
        left = min(around.center, (budget.messages - 1) // 2)
        first = min(around.center - left, last - budget.messages)
        last = first + budget.messages
    budget.messages -= last - first
    # the characters go to the hit first, then outward: a long neighbour must not use them up
    outward = sorted(range(first, last), key=lambda at: abs(at - around.center))
    formatted = {at: budget.formatted(around.messages[at]) for at in outward}
    entry["messages"] = [{**formatted[at], "center": at == around.center} for at in range(first, last)]
    entry["has_more_before"] = around.has_more_before or first > 0
    entry["has_more_after"] = around.has_more_after or last < len(around.messages)
    entry["context"] = heading_to_dict(around.session)
    return True


def _window(window: int | str, messages: int, results: int, most: int) -> int:
    """Return the number of messages to show on each side of a hit.

    For the window "auto", the budget of `messages` is divided evenly among `results` hits, with at most `most` on each
    side.
    """
    if isinstance(window, int):
        return window
    return max(0, min(most, (messages // max(1, results) - 1) // 2))


class _Budget:
    """The numbers of messages and of characters that may still be shown, and whether something was cut."""

    __slots__ = ("chars", "context_cut", "messages", "redact", "text_cut")

    def __init__(self, messages: int, chars: int, *, redact: bool) -> None:
        self.redact = redact
        self.messages = messages
        self.chars = chars
        self.context_cut = False
        self.text_cut = False

    def formatted(self, message: Message) -> dict[str, Any]:
        """Return the message as JSON values, its texts cut to the remaining characters of the budget.

        The output of recall tools is replaced by the note OMITTED.
        """
        entry = full_message(message)
        if self.redact:  # before texts are cut: half of a secret is not recognised
            entry = without_secrets(entry)
        for part in entry["parts"]:
            if is_recall_tool(part.get("tool_name")):
                part["content"] = OMITTED
                part.pop("output", None)
                part.pop("error", None)
                continue
            for name in _FIELDS:
                if name in part:
                    self._cut(part, name)
        return entry

    def _cut(self, part: dict[str, Any], name: str) -> None:
        """Cut the text `name` of a part to the remaining characters of the budget, and subtract its length from
        them.
        """
        text: str = part[name]
        most = min(FIELD_CHARS, self.chars)
        if len(text) > most:
            self.text_cut = True
            if most <= len(MARKER):
                del part[name]
                return
            text = part[name] = text[: most - len(MARKER)] + MARKER
        self.chars -= len(text)
