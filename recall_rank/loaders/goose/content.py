"""Convert the content of Goose messages to message parts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from recall_rank.loaders.content.fast_replace import with_parts, with_result
from recall_rank.loaders.content.titles import is_injected, title_from
from recall_rank.loaders.content.values import mapping, text_of, touched_files
from recall_rank.model import Flag, Message, Part, Role

ROLES: dict[Any, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
_NOTICES = {
    *("systemNotification", "summarizationRequested", "contextLengthExceeded", "conversationCompacted"),
    *("actionRequired", "toolConfirmationRequest"),
}


@dataclass(slots=True)
class GooseConversation:
    """Collects messages in order and adds tool outputs to the calls they belong to. `words` is the first text that
    a user typed.
    """

    words: str | None = None
    _said: list[tuple[Message, Flag, list[Part]]] = field(default_factory=list)
    _calls: dict[str, tuple[list[Part], int]] = field(default_factory=dict)
    _compacted: bool = False

    def add(self, message: Message, content: Any, metadata: Any) -> str | None:
        """Add a message and its content; returns the reason when it cannot be used, else None."""
        if type(content) is not list:
            return "a message whose content is no list"
        flags = self._flags(message, mapping(metadata))
        parts: list[Part] = []
        for index, block in enumerate(content):
            part = self._block(f"{message.id}:{index}", mapping(block), parts, by_user=message.role == "user")
            if part is not None:
                parts.append(part)
        if message.role == "user" and not flags & (Flag.SYNTHETIC | Flag.SUMMARY):
            typed = (part.text for part in parts if part.type == "text" and not part.flags & Flag.SYNTHETIC)
            self.words = self.words or next((text for text in typed if text), None)
        self._said.append((message, flags, parts))
        return None

    def messages(self) -> tuple[Message, ...]:
        """Return the messages that have at least one message part."""
        return tuple([with_parts(message, parts, flags) for message, flags, parts in self._said if parts])

    def title(self) -> str | None:
        return title_from(self.words)

    def _flags(self, message: Message, metadata: dict[str, Any]) -> Flag:
        """Return the flags that the visibility of a message implies. A compaction hides old messages from the model,
        and hides its summary from people.
        """
        for_agent, for_person = metadata.get("agentVisible", True), metadata.get("userVisible", True)
        if not for_agent:
            self._compacted = True
            return Flag.OUT_OF_CONTEXT
        if for_person:
            return Flag.NONE
        return Flag.SUMMARY if self._compacted and message.role == "user" else Flag.SYNTHETIC

    def _block(self, key: str, block: dict[str, Any], parts: list[Part], *, by_user: bool) -> Part | None:
        kind = text_of(block.get("type"))
        if kind in {"toolRequest", "frontendToolRequest"}:
            part = _call(key, mapping(block.get("toolCall")))
            self._calls[str(block.get("id"))] = (parts, len(parts))
            return part
        if kind == "toolResponse":
            return self._answer(key, str(block.get("id")), mapping(block.get("toolResult")))
        if kind in {"thinking", "reasoning"}:
            text = text_of(block.get("thinking")) or text_of(block.get("text"))
            return Part(key, "reasoning", text) if text else None
        if kind == "image":
            return Part(key, "file")
        if kind in _NOTICES:
            data = mapping(block.get("data"))
            text = next(
                (text for text in map(text_of, (block.get("msg"), data.get("message"), data.get("prompt"))) if text),
                None,
            )
            return Part(key, str(kind), text, flags=Flag.SYNTHETIC) if text else None
        text = text_of(block.get("text"))
        if not text:
            return None
        flags = Flag.SYNTHETIC if by_user and is_injected(text) else Flag.NONE
        return Part(key, kind or "text", text, flags=flags)

    def _answer(self, key: str, call_id: str, result: dict[str, Any]) -> Part | None:
        """Add an output to its tool call and return None. When the call is unknown or already has an output, return
        a message part for the output instead.
        """
        call = self._calls.pop(call_id, None)
        if call is None:
            return _ended(Part(key, "tool"), result)
        parts, at = call
        parts[at] = _ended(parts[at], result)
        return None


def _call(key: str, call: dict[str, Any]) -> Part:
    value = mapping(call.get("value"))
    arguments = value.get("arguments")
    part = Part(
        key,
        "tool",
        tool=text_of(value.get("name")),
        input=arguments,
        status="pending",
        files=touched_files(arguments),
    )
    if call.get("status") != "error":
        return part
    return replace(part, error=text_of(call.get("error")), status="error", flags=Flag.ERROR)


def _ended(call: Part, result: dict[str, Any]) -> Part:
    value = result.get("value")
    failed = result.get("status") == "error" or bool(mapping(value).get("isError"))
    content = value.get("content") if type(value) is dict else value  # a list of blocks in older versions
    blocks = content if type(content) is list else []
    texts = [_text(mapping(block)) for block in blocks]
    text = "\n".join(text for text in texts if text) or text_of(result.get("error"))
    return with_result(call, text, failed=failed)


def _text(block: dict[str, Any]) -> str | None:
    """Return the text of a content block of a tool output, or of the file that the block contains; None for images."""
    return text_of(block.get("text")) or text_of(mapping(block.get("resource")).get("text"))
