"""Build a session from a conversation of Cursor's editor, that is its own record and its bubbles (records of one
message each).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from recall_rank.loaders.content.times import millis
from recall_rank.loaders.content.titles import title_from
from recall_rank.loaders.content.usage import dollars, tokens_of
from recall_rank.loaders.content.values import listed, mapping, text_of
from recall_rank.loaders.cursor.bubbles import parts_of, time_of, tools_apart
from recall_rank.loaders.cursor.rows import path_of
from recall_rank.loaders.json.parse import Record
from recall_rank.model import Flag, Message, Role, Session

AGENT = "cursor"

_ROLES: dict[Any, Role] = {"1": "user", "2": "assistant"}
_SUBAGENT = ("isBestOfNSubcomposer", "isSpecSubagent", "subagentInfo")


class Composer:
    """Builds a session from one conversation of Cursor's editor. `record` is the conversation's own JSON object;
    `stored` maps bubble ids to the bubbles (records of one message each) that have database rows of their own, in
    stored order.
    """

    def __init__(self, key: str, record: Record, stored: Mapping[str, Record]) -> None:
        self.children = [child for child in listed(record.get("subComposerIds")) if type(child) is str]
        self.missing = 0  # bubbles that are listed and not there
        self._key = key
        self._record = record
        self._tools = tools_apart(record)
        self._model = text_of(mapping(record.get("modelConfig")).get("modelName"))
        inline = [bubble for bubble in listed(record.get("conversation")) if type(bubble) is dict]
        self._bubbles: dict[str, Record] = {
            **{str(bubble.get("bubbleId") or at): bubble for at, bubble in enumerate(inline)},
            **{name: value for name, value in mapping(record.get("conversationMap")).items() if type(value) is dict},
            **stored,
        }
        headers = [mapping(header) for header in listed(record.get("fullConversationHeadersOnly"))]
        self._order = {str(header.get("bubbleId")): _hidden(header) for header in headers}
        if not self._order:
            self._order = dict.fromkeys(self._bubbles, False)

    def session(self, directory: str | None, source: str) -> Session | None:
        """Return the conversation as a session; None when it has no messages."""
        record = self._record
        messages = [self._message(name, hidden) for name, hidden in self._order.items()]
        # Bubbles that the list no longer names are those that were edited away or gone back behind.
        left = [name for name in self._bubbles if name not in self._order]
        left.sort(key=lambda name: time_of(self._bubbles[name]))
        messages += [self._message(name, hidden=False, flags=Flag.ABANDONED) for name in left]
        said = self._in_context([message for message in messages if message is not None and message.parts])
        if not said:
            return None
        times = [message.time for message in said if message.time]
        created = millis(record.get("createdAt")) or min(times, default=0)
        folder = directory or self._folder()
        return Session(
            self._key,
            tuple(said),
            " ".join((text_of(record.get("name")) or "").split()) or self._title(said),
            folder,
            folder,
            created=created,
            updated=max([millis(record.get("lastUpdatedAt")), created, *times]),
            source=source,
            agent=AGENT,
            flags=self._flags(),
            cost=self._cost(),
        )

    def _message(self, name: str, hidden: bool, flags: Flag = Flag.NONE) -> Message | None:
        bubble = self._bubbles.get(name)
        if bubble is None:
            self.missing += 1
            return None
        role = _ROLES.get(text_of(bubble.get("type")), "system")
        tool = mapping(bubble.get("toolFormerData")) or self._tools.get(name, {})
        model = text_of(mapping(bubble.get("modelInfo")).get("modelName")) or self._model
        return Message(
            name,
            role,
            time_of(bubble),
            tuple(parts_of(name, bubble, tool)),
            model=model if role == "assistant" else None,
            flags=flags | Flag.SYNTHETIC if hidden else flags,
            tokens=tokens_of(*map(mapping(bubble.get("tokenCount")).get, ("inputTokens", "outputTokens"))),
        )

    def _in_context(self, messages: list[Message]) -> list[Message]:
        """Return all messages, where those that the last summary replaces are flagged as out of context."""
        names = [message.id for message in messages]
        for name in reversed(names):
            until = mapping(self._bubbles[name].get("conversationSummary")).get("truncationLastBubbleIdInclusive")
            if until in names:
                last = names.index(str(until))
                return [_outside(message) if at <= last else message for at, message in enumerate(messages)]
        return messages

    def _flags(self) -> Flag:
        flags = Flag.ARCHIVED if self._record.get("isArchived") else Flag.NONE
        return flags | Flag.SUBAGENT if any(self._record.get(name) for name in _SUBAGENT) else flags

    def _cost(self) -> float | None:
        """Return the cost of all models in US dollars, converted from the cents in the store; None when it is
        unknown.
        """
        models = mapping(self._record.get("usageData")).values()
        cents = [mapping(model).get("costInCents") for model in models]
        return dollars(sum(float(cost) for cost in cents if isinstance(cost, int | float)) / 100)

    def _folder(self) -> str | None:
        """Return the working folder that the conversation's record names, else the first that a bubble names; None
        without either.
        """
        uri = mapping(mapping(self._record.get("workspaceIdentifier")).get("uri"))
        told = text_of(uri.get("fsPath")) or text_of(uri.get("path"))
        named = (address for bubble in self._bubbles.values() for address in listed(bubble.get("workspaceUris")))
        return told or next((path for address in named if (path := path_of(text_of(address)))), None)

    @staticmethod
    def _title(messages: list[Message]) -> str | None:
        typed = (part.text for message in messages if message.role == "user" for part in message.parts)
        return title_from(next((text for text in typed if text), None))


def _hidden(header: dict[str, Any]) -> bool:
    """Return whether the header of a bubble says that Cursor does not show the bubble."""
    grouping = header.get("grouping")
    return type(grouping) is dict and grouping.get("isRenderable") is False


def _outside(message: Message) -> Message:
    return replace(message, flags=message.flags | Flag.OUT_OF_CONTEXT)
