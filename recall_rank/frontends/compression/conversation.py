"""Read a conversation for compression: sizes of its messages, messages that belong together, rounds, former summaries.

A conversation is a list of Message records, or of messages of a chat API as JSON objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import orjson

from recall_rank.frontends.transcripts.reminders import typed_by_user
from recall_rank.model import Flag, Message, Part, Role, Session
from recall_rank.model.chat_messages import ANSWER_BLOCKS, CALL_BLOCKS, FILE_BLOCKS
from recall_rank.model.coerce import session_from

MESSAGE_TOKENS: Final = 4  # role and delimiters of a message
CALL_TOKENS: Final = 8  # id and type of a tool call
PICTURE_TOKENS: Final = 1_600  # about what providers count for one of a megapixel; its base64 says nothing
SUMMARY_LABEL: Final = "[Summary of earlier conversation]"
BRIDGES: Final = ("[A summary of what followed comes next.]", "[The conversation goes on after the summary.]")

Given = Message | Mapping[str, Any]
"""One message as a caller gives it."""
Count = Callable[[str], int]
"""Returns about how many tokens of a model a text has."""


@dataclass(frozen=True, slots=True)
class SizedMessage:
    """One message of a conversation as it was given, what it says, and its size.

    `record` holds the texts and tool calls of this message alone. The outputs of earlier calls, which a message of a
    chat API may carry, are tool parts of it.
    """

    given: Given
    record: Message
    tokens: int

    @property
    def role(self) -> str:
        """The role, of which "system", "user", "assistant" and "tool" are known."""
        return self.record.role

    @property
    def text(self) -> str:
        """The texts of the message, without tool calls, outputs and reasoning."""
        return text_of(self.record)

    @property
    def is_summary(self) -> bool:
        """Whether this is the summary of a former compression, ours or one that a loader has marked."""
        return self.role == "user" and (Flag.SUMMARY in self.record.flags or self.text.startswith(SUMMARY_LABEL))

    @property
    def is_bridge(self) -> bool:
        """Whether a former compression put this message beside its summary."""
        return self.role == "assistant" and self.text in BRIDGES


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages of a conversation.

    `stretches` are ranges [start, end) of indexes, in order and without gaps: no boundary may lie inside one, since it
    holds a tool call with its result. `rounds` are the starts of those that begin with words which the user typed.
    """

    messages: tuple[SizedMessage, ...]
    stretches: tuple[tuple[int, int], ...]
    rounds: tuple[int, ...]
    count: Count

    def tokens(self, start: int = 0, end: int | None = None) -> int:
        """Return the size of the messages [start, end)."""
        return sum(each.tokens for each in self.messages[start:end])


def conversation_of(messages: Sequence[Given], count: Count) -> Conversation:
    """Read the messages of a conversation.

    Raises TypeError or ValueError, with the index of the message, for what is no message, and for records and chat
    messages in one list.
    """
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Sequence):
        raise TypeError(f"a list of messages is needed, not {type(messages).__name__}")
    records = _records(messages)
    sized = tuple(
        SizedMessage(given, record, tokens_of(given, count)) for given, record in zip(messages, records, strict=True)
    )
    stretches = tuple(_stretches(sized))
    starts = tuple(start for start, _ in stretches if _begins_round(sized[start]))
    return Conversation(sized, stretches, starts, count)


def text_of(record: Message) -> str:
    """Return the texts of a message, an empty line between them."""
    return "\n\n".join(part.text for part in record.parts if part.type == "text" and part.text)


def tokens_of(given: Given, count: Count) -> int:
    """Return about how many tokens a message has: those of its texts, names and arguments, MESSAGE_TOKENS for itself,
    CALL_TOKENS for each tool call or result and PICTURE_TOKENS for each file without text.
    """
    texts, calls, pictures = _Weighed(), 0, 0
    if isinstance(given, Message):
        for part in given.parts:
            calls += part.tool is not None or part.type == "tool"
            pictures += part.type == "file" and not part.text
            texts.add(part.text, part.prompt, part.tool, part.input, part.output, part.error)
    else:
        for call in given.get("tool_calls") or ():
            texts.add(*_named_call(call))
            calls += 1
        if given.get("function_call"):
            texts.add(*_named_call({"function": given["function_call"]}))
            calls += 1
        calls += given.get("role") in ("tool", "function")
        texts.add(given.get("reasoning_content"), given.get("refusal"))
        for block in blocks_of(given.get("content")):
            calls += block.get("type") in (*CALL_BLOCKS, *ANSWER_BLOCKS)
            pictures += is_picture(block)
            if not is_picture(block):
                known = ("text", "refusal", "thinking", "data", "name", "input")
                texts.add(*(block.get(name) for name in known))
                texts.add(*_document_texts(block))
    return sum(map(count, texts.found)) + MESSAGE_TOKENS + CALL_TOKENS * calls + PICTURE_TOKENS * pictures


def blocks_of(content: object) -> Iterator[Mapping[str, Any]]:
    """Yield the blocks of a content and the blocks in their contents; a text is one block."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, Mapping):
        yield content
        yield from blocks_of(content.get("content"))
    elif isinstance(content, list | tuple):
        for each in content:
            yield from blocks_of(each)


def is_picture(block: Mapping[str, Any]) -> bool:
    """Return whether a block is a picture, a sound or a file, whose data are no text."""
    return block.get("type") in FILE_BLOCKS or (block.get("type") == "document" and not any(_document_texts(block)))


def merged_session(given: Sequence[Given]) -> Session:
    """Return messages as a session, in which the outputs of tools are parts of the calls that they belong to."""
    return session_from({"id": "conversation", "messages": list(given)}, "conversation")


class _Weighed:
    """The texts whose tokens are counted."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, *values: object) -> None:
        """Add texts; other values are added as JSON, None not at all."""
        for value in values:
            if value is not None and value != "":
                self.found.append(value if isinstance(value, str) else orjson.dumps(value, default=str).decode())


def _named_call(call: Mapping[str, Any]) -> tuple[object, object]:
    inner = call.get("function") or call.get("custom") or {}
    return inner.get("name"), inner.get("arguments", inner.get("input"))


def _document_texts(block: Mapping[str, Any]) -> list[str]:
    source = block.get("source")
    inside = source.get("data") if isinstance(source, Mapping) and source.get("type") == "text" else None
    return [each for each in (inside, block.get("title")) if isinstance(each, str)] if inside else []


def _records(messages: Sequence[Given]) -> list[Message]:
    """Return what each message says, read alone."""
    merged_session(messages)  # checks every message and names the index of a wrong one
    for number, each in enumerate(messages):
        if isinstance(each, Mapping) and "parts" in each:
            raise ValueError(f"a message as a JSON object has 'content', not 'parts', in messages[{number}]")
        if isinstance(each, Mapping) == isinstance(messages[0], Message):
            raise TypeError(f"messages are records or JSON objects, not both, in messages[{number}]")
    return [each if isinstance(each, Message) else _alone(each, number) for number, each in enumerate(messages)]


def _alone(given: Mapping[str, Any], number: int) -> Message:
    """Return one chat message as a record, with its index as its id; without parts when it says nothing."""
    read = merged_session([given]).messages
    if not read:  # it says nothing, but has a role
        read = [replace(each, parts=()) for each in merged_session([{**given, "content": "."}]).messages]
    return replace(read[0], id=str(number))


def _begins_round(message: SizedMessage) -> bool:
    beside = Flag.SUBAGENT in message.record.flags
    return not message.is_summary and not beside and bool(typed_by_user(message.record))


def _stretches(messages: Sequence[SizedMessage]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of messages between which a boundary may lie.

    A result belongs to the latest call with its id that has no result yet: some programs give ids again. One without
    an id belongs to the message before it.
    """
    first = list(range(len(messages)))  # index -> least index that it must stay together with
    waiting: dict[str, list[int]] = {}
    for at, message in enumerate(messages):
        for kind, key in _links(message.given):
            if kind == "call" and key:
                waiting.setdefault(key, []).append(at)
            elif kind == "result" and key and waiting.get(key):
                first[at] = min(first[at], waiting[key].pop())
            elif kind == "result" and not key and at:
                first[at] = min(first[at], at - 1)
    start, end = len(messages), len(messages)
    found: list[tuple[int, int]] = []
    for at in range(len(messages) - 1, -1, -1):
        start = min(start, first[at])
        if at <= start:
            found.append((at, end))
            start = end = at
    yield from reversed(found)


def _links(given: Given) -> Iterator[tuple[str, str | None]]:
    """Yield ("call", id) and ("result", id) for the tool calls and results of a message, in order."""
    if isinstance(given, Message):
        if given.role == "tool":
            yield "result", None
        return
    if given.get("role") in ("tool", "function"):
        key = given.get("tool_call_id")
        yield "result", key if isinstance(key, str) else None
    for block in blocks_of(given.get("content")):
        if block.get("type") in CALL_BLOCKS:
            yield "call", block.get("id")
        elif block.get("type") in ANSWER_BLOCKS:
            yield "result", block.get("tool_use_id")
    for call in given.get("tool_calls") or ():
        yield "call", call.get("id")
    if given.get("function_call"):
        yield "call", None


def said(role: Role, text: str, like: Given, flags: Flag = Flag.NONE) -> Given:
    """Return a message with this text in the form of another one, a record or a JSON object."""
    if isinstance(like, Message):
        part = Part(f"{role}-of-compression", "text", text)
        return Message(part.id, role, parts=(part,), flags=flags | Flag.SYNTHETIC)
    return {"role": role, "content": text}
