"""Build messages from chat messages in the form of OpenAI's API, which several agents store unchanged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from recall_rank.loaders.content.fast_replace import with_parts, with_result
from recall_rank.loaders.content.titles import is_injected, title_from
from recall_rank.loaders.content.values import mapping, text_of, touched_files
from recall_rank.loaders.json.parse import parse_values
from recall_rank.model import Flag, Message, Part, Role

ROLES: dict[Any, Role] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_TEXTS = {"text", "input_text", "output_text"}


@dataclass(slots=True)
class _Said:
    """A message and its message parts so far; later messages may add outputs to its tool calls."""

    message: Message
    parts: list[Part]


@dataclass(slots=True)
class ChatBuilder:
    """Collects messages in order and adds tool outputs to the calls they belong to. `words` is the first text that
    a user typed.
    """

    words: str | None = None
    _said: list[_Said] = field(default_factory=list)
    _calls: dict[str, tuple[_Said, int]] = field(default_factory=dict)

    def add(self, message: Message, content: Any, calls: Any = None, answers: Any = None) -> None:
        """Add a message with its `content` and the list `calls` of its tool calls. For a message that is the output of
        a tool, `answers` is the id of the call that it answers.
        """
        if message.role == "tool" and self._answer(str(answers), content):
            return
        said = _Said(message, [])
        if message.role == "tool":
            said.parts.append(Part(f"{message.id}:0", "tool", output=_plain(content), status="completed"))
        else:
            said.parts += _content(message.id, content, by_user=message.role == "user")
            if message.role == "user" and not message.flags & (Flag.SYNTHETIC | Flag.SUMMARY):
                typed = (part.text for part in said.parts if not part.flags & Flag.SYNTHETIC)
                self.words = self.words or next((text for text in typed if text), None)
        for call in calls if type(calls) is list else ():
            function = mapping(mapping(call).get("function")) or mapping(call)
            self._calls[str(mapping(call).get("id"))] = (said, len(said.parts))
            said.parts.append(_call(f"{message.id}:{len(said.parts)}", function))
        self._said.append(said)

    def messages(self) -> tuple[Message, ...]:
        """Return the messages that have at least one message part."""
        return tuple([with_parts(said.message, said.parts) for said in self._said if said.parts])

    def title(self) -> str | None:
        return title_from(self.words)

    def _answer(self, call_id: str, content: Any) -> bool:
        """Set the output of a call. Returns whether the call is known and had no output yet."""
        call = self._calls.pop(call_id, None)
        if call is not None:
            said, at = call
            said.parts[at] = with_result(said.parts[at], _plain(content), failed=False)
        return call is not None


def _call(key: str, function: dict[str, Any]) -> Part:
    arguments = parse_arguments(function.get("arguments"))
    return Part(
        key,
        "tool",
        tool=text_of(function.get("name")),
        input=arguments,
        status="pending",
        files=touched_files(arguments),
    )


def parse_arguments(raw: Any) -> Any:
    """Return the arguments of a tool call, parsed from JSON text; a text that is not JSON is returned unchanged."""
    if type(raw) is not str:
        return raw
    values, problem = parse_values(raw.encode("utf-8", "replace"))
    return values[0] if len(values) == 1 and problem is None else raw


def _content(key: str, content: Any, *, by_user: bool) -> list[Part]:
    parts: list[Part] = []
    for index, block in enumerate(content if type(content) is list else [content]):
        kind = text_of(mapping(block).get("type")) or "text"
        text = text_of(mapping(block).get("text")) if type(block) is dict else text_of(block)
        if text:
            synthetic = by_user and is_injected(text)
            name = "text" if kind in _TEXTS else kind
            parts.append(Part(f"{key}:{index}", name, text, flags=Flag.SYNTHETIC if synthetic else Flag.NONE))
        elif type(block) is dict and kind not in _TEXTS:
            parts.append(Part(f"{key}:{index}", "file"))
    return parts


def _plain(content: Any) -> str | None:
    """Return the output of a tool as text; images are left out."""
    if type(content) is not list:
        return text_of(content)
    texts = (text_of(mapping(block).get("text")) if type(block) is dict else text_of(block) for block in content)
    return "\n".join(text for text in texts if text) or None
