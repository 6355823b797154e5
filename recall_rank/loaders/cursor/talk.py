"""Convert the messages of Cursor's command line, from its database or from its transcript."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from recall_rank.loaders.content.fast_replace import with_parts
from recall_rank.loaders.content.titles import is_injected, title_from
from recall_rank.loaders.content.values import mapping, text_of, touched_files
from recall_rank.loaders.json.parse import Record
from recall_rank.model import Flag, Message, Part, Role

ROLES: dict[Any, Role] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}

_QUERY = re.compile(r"<user_query>\s*(.*?)\s*(?:</user_query>|\Z)", re.DOTALL)
_PUT_IN = re.compile(
    r"\s*<(?:user_info|git_status|project_layout|rules|agent_skills|agent_transcripts|attached_files|open_and_recently"
    r"_viewed_files|additional_data|mcp_instructions|system_reminder|timestamp)\b"
)
_WORKSPACE = re.compile(r"^Workspace Path: (.+)$", re.MULTILINE)
_CALLS, _RESULTS = {"tool-call", "tool_use"}, {"tool-result", "tool_result"}
_THOUGHTS = {"reasoning", "thinking"}


@dataclass(slots=True)
class CursorConversation:
    """Collects messages in order and adds tool outputs to the calls they belong to."""

    words: str | None = None  # the first that were typed
    directory: str | None = None
    model: str | None = None
    _said: list[tuple[Message, list[Part]]] = field(default_factory=list)
    _calls: dict[str, tuple[list[Part], int]] = field(default_factory=dict)

    def add(self, key: str, record: Record, flags: Flag = Flag.NONE) -> str | None:
        """Add one message; returns the reason when it cannot be used, else None."""
        role = ROLES.get(text_of(record.get("role")))
        if role is None:
            return "a message without a role"
        inner = mapping(record.get("message"))
        content = inner.get("content") if inner else record.get("content")
        blocks = [{"type": "text", "text": content}] if type(content) is str else content
        if type(blocks) is not list:
            return "a message without content"
        if role == "system":
            flags |= Flag.SYNTHETIC
        parts: list[Part] = []
        for index, block in enumerate(blocks):
            part = self._block(f"{key}:{index}", mapping(block), role, parts)
            if part is not None:
                parts.append(part)
        model = text_of(inner.get("model")) or text_of(record.get("model")) or self.model
        self._said.append((Message(key, role, model=model if role == "assistant" else None, flags=flags), parts))
        return None

    def messages(self) -> tuple[Message, ...]:
        """Return the messages that have at least one message part."""
        return tuple([with_parts(message, parts) for message, parts in self._said if parts])

    def title(self) -> str | None:
        return title_from(self.words)

    def _block(self, key: str, block: dict[str, Any], role: Role, parts: list[Part]) -> Part | None:
        kind = text_of(block.get("type"))
        if kind in _CALLS:
            tool_input = block.get("args", block.get("input"))
            call = str(block.get("toolCallId") or block.get("id"))
            self._calls[call] = (parts, len(parts))
            tool = text_of(block.get("toolName")) or text_of(block.get("name"))
            return Part(
                key, "tool", tool=tool, input=tool_input, status="pending", files=touched_files(tool_input)
            )  # fmt: skip
        if kind in _RESULTS:
            return self._answer(key, block)
        text = text_of(block.get("text")) or text_of(block.get("thinking"))
        if not text:
            return Part(key, "file") if kind in {"image", "file", "document"} else None
        if kind in _THOUGHTS:
            return Part(key, "reasoning", text)
        if role == "user":
            return self._prompt(key, text)
        return Part(key, kind or "text", text)

    def _prompt(self, key: str, text: str) -> Part:
        """Return the message part of a user's prompt, without the tag around the prompt; text that the program inserted
        is flagged as synthetic.
        """
        folder = _WORKSPACE.search(text)
        self.directory = self.directory or (folder[1].strip() if folder else None)
        typed = _QUERY.search(text)
        if typed is None and (is_injected(text) or _PUT_IN.match(text)):
            return Part(key, "text", text, flags=Flag.SYNTHETIC)
        words = typed[1] if typed else text
        self.words = self.words or words
        return Part(key, "text", words)

    def _answer(self, key: str, block: dict[str, Any]) -> Part | None:
        """Add an output to its tool call and return None. When the call is unknown or already has an output, return
        a message part for the output instead.
        """
        call = self._calls.pop(str(block.get("toolCallId") or block.get("tool_use_id")), None)
        text = _plain(block.get("result", block.get("content")))
        failed = bool(block.get("isError") or block.get("is_error"))
        alone = Part(key, "tool", tool=text_of(block.get("toolName")))
        parts, at = call if call is not None else ([alone], 0)
        parts[at] = replace(
            parts[at],
            output=None if failed else text,
            error=text if failed else None,
            status="error" if failed else "completed",
            flags=parts[at].flags | Flag.ERROR if failed else parts[at].flags,
        )
        return parts[0] if call is None else None


def _plain(result: Any) -> str | None:
    """Return the output of a tool as text, whether it is stored as text, as content blocks or as an object of texts;
    images are left out.
    """
    if type(result) is list:
        texts = [_plain(mapping(block).get("text")) if type(block) is dict else text_of(block) for block in result]
    elif type(result) is dict:
        texts = [_plain(value) for value in result.values()]
    else:
        return text_of(result)
    return "\n".join(text for text in texts if text) or None
