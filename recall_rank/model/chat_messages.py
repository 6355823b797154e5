"""Make Message records from the messages that a program sends to a model, in the forms of OpenAI's and Anthropic's API.

The content of such a message is a text or a list of blocks. Tool outputs, which stand in later messages, are added to
the calls they belong to. Pictures, sounds and files become message parts without text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from recall_rank.model.record_classes import mutable, replace
from recall_rank.model.sessions import Flag, Message, Part

CHAT_ROLES: Final = {"developer": "system", "function": "tool"}
"""Roles of the APIs that have another name here."""

CHAT_KEYS: Final = frozenset(
    {
        *("content", "tool_calls", "tool_call_id", "function_call", "name", "refusal"),
        *("annotations", "audio", "reasoning_content"),  # OpenAI's
        *("type", "stop_reason", "stop_sequence", "usage", "container"),  # Anthropic's
    }
)
"""Keys of a chat message that are no fields of Message; what no block or text stands in is not read."""

Block = Mapping[str, Any]
CALL_BLOCKS = ("tool_use", "server_tool_use", "mcp_tool_use")
ANSWER_BLOCKS = ("tool_result", "web_search_tool_result", "code_execution_tool_result", "mcp_tool_result")
FILE_BLOCKS = ("image_url", "image", "input_image", "input_audio", "audio", "file", "input_file", "container_upload")


@mutable
class _ChatDraft:
    """A message and its message parts so far; later messages may add outputs to its tool calls."""

    message: Message
    parts: list[Part]


class ChatMessages:
    """Collects the messages of one session in order, complete Message records and messages of a chat API."""

    def __init__(self) -> None:
        self._drafts: list[_ChatDraft | Message] = []
        self._calls: dict[str, tuple[_ChatDraft, int]] = {}
        self._readers: dict[str, Callable[[_ChatDraft, Block, str], None]] = {
            **dict.fromkeys(("text", "input_text", "output_text"), self._text),
            **dict.fromkeys(("thinking", "redacted_thinking"), self._thought),
            **dict.fromkeys(CALL_BLOCKS, self._called),
            **dict.fromkeys(ANSWER_BLOCKS, self._answered),
            **dict.fromkeys(FILE_BLOCKS, self._file),
            "refusal": self._text,
            "document": self._document,
        }

    def add_record(self, message: Message) -> None:
        """Add a message that is complete."""
        self._drafts.append(message)

    def add(self, message: Message, raw: Block, where: str) -> None:
        """Add a message of a chat API, with its content.

        `message` has its id, role and other fields but no parts, `raw` is the mapping it was made from, and `where` is
        its place, for errors. Raises TypeError or ValueError for content of another form.
        """
        draft = _ChatDraft(message, [])
        content = raw.get("content")
        if message.role == "tool":
            self._answer(draft, raw.get("tool_call_id"), _plain(content, where), tool=_text_or_none(raw, "name", where))
        else:
            self._add_content(draft, content, raw, where)
        self._drafts.append(draft)

    def messages(self) -> tuple[Message, ...]:
        """Return the messages so far.

        A message that only holds the outputs of earlier calls is left out: they are in the parts of these calls.
        """
        found: list[Message] = []
        for each in self._drafts:
            if isinstance(each, Message):
                found.append(each)
            elif each.parts:
                found.append(replace(each.message, parts=tuple(each.parts)))
        return tuple(found)

    def _add_content(self, draft: _ChatDraft, content: object, raw: Block, where: str) -> None:
        thought = _text_or_none(raw, "reasoning_content", where)
        if thought:
            self._append(draft, "reasoning", text=thought)
        calls = _calls_of(raw, where)
        refused = _text_or_none(raw, "refusal", where)
        if isinstance(content, str):
            if content:
                self._append(draft, "text", text=content)
        elif isinstance(content, list | tuple):
            for number, block in enumerate(content):
                self._block(draft, block, f"{where}.content[{number}]")
        elif content is not None or not (calls or refused or thought):
            raise TypeError(f"the content of a message is text or a list of blocks, not {content!r:.80}, in {where}")
        if refused:
            self._append(draft, "text", text=refused)
        for key, name, given in calls:
            self._call(draft, key, name, given)

    def _block(self, draft: _ChatDraft, block: object, where: str) -> None:
        if not isinstance(block, Mapping):
            raise TypeError(f"a block of content is a mapping, not {block!r:.80}, in {where}")
        kind = _text_of(block, "type", where)
        reader = self._readers.get(kind)
        if reader is None:
            accepted = ", ".join(sorted(self._readers))
            raise ValueError(f"unknown type {kind!r:.80} of a block in {where}; accepted are {accepted}")
        reader(draft, block, where)

    # --- blocks ------------------------------------------------------------------------------------

    def _text(self, draft: _ChatDraft, block: Block, where: str) -> None:
        name = "refusal" if block["type"] == "refusal" else "text"
        self._append(draft, "text", text=_text_of(block, name, where))

    def _thought(self, draft: _ChatDraft, block: Block, where: str) -> None:
        if block["type"] == "thinking":  # a redacted one is encrypted
            self._append(draft, "reasoning", text=_text_of(block, "thinking", where))

    def _called(self, draft: _ChatDraft, block: Block, where: str) -> None:
        self._call(draft, block.get("id"), _text_of(block, "name", where), block.get("input"))

    def _answered(self, draft: _ChatDraft, block: Block, where: str) -> None:
        content = block.get("content")
        failed = block.get("is_error") is True
        text = _plain(content, where) if block["type"] == "tool_result" else "\n".join(_words(content)) or None
        self._answer(draft, _text_of(block, "tool_use_id", where), text, failed=failed)

    def _file(self, draft: _ChatDraft, block: Block, where: str) -> None:
        told = block.get("file")
        name = told.get("filename") if isinstance(told, Mapping) else block.get("filename")
        self._append(draft, "file", files=(name,) if isinstance(name, str) else ())

    def _document(self, draft: _ChatDraft, block: Block, where: str) -> None:
        source = block.get("source")
        text = source.get("data") if isinstance(source, Mapping) and source.get("type") == "text" else None
        title = _text_or_none(block, "title", where)
        self._append(draft, "file", text=text if isinstance(text, str) else None, title=title)

    # --- message parts -----------------------------------------------------------------------------

    def _append(self, draft: _ChatDraft, kind: str, **members: Any) -> None:
        draft.parts.append(Part(f"{draft.message.id}:{len(draft.parts)}", kind, **members))

    def _call(self, draft: _ChatDraft, key: object, name: str, given: object) -> None:
        if isinstance(key, str):
            self._calls[key] = (draft, len(draft.parts))
        self._append(draft, "tool", tool=name, input=given, status="pending")

    def _answer(
        self, draft: _ChatDraft, key: object, text: str | None, *, failed: bool = False, tool: str | None = None
    ) -> None:  # fmt: skip
        """Set the output of the tool call with the id `key`, or its error if `failed`.

        When no call without an output has that id, the output becomes a tool part of the message `draft` itself.
        """
        if isinstance(key, str) and key in self._calls:
            home, at = self._calls.pop(key)
        else:
            home, at = draft, len(draft.parts)
            self._append(draft, "tool", tool=tool)
        flags = Flag.ERROR if failed else Flag.NONE
        status = "error" if failed else "completed"
        output, error = (None, text) if failed else (text, None)
        home.parts[at] = replace(home.parts[at], output=output, error=error, status=status, flags=flags)


def _calls_of(raw: Block, where: str) -> list[tuple[object, str, object]]:
    """Return (id, name, input) of each tool call of a message in OpenAI's form, in order; the id is None in the older
    form.
    """
    found: list[tuple[object, str, object]] = []
    listed = raw.get("tool_calls")
    if listed is not None and not isinstance(listed, list | tuple):
        raise TypeError(f"'tool_calls' must be a list, not {listed!r:.80}, in {where}")
    for number, call in enumerate(listed or ()):
        at = f"{where}.tool_calls[{number}]"
        if not isinstance(call, Mapping):
            raise TypeError(f"a tool call is a mapping, not {call!r:.80}, in {at}")
        member = "custom" if call.get("type") == "custom" else "function"
        inner = call.get(member)
        if not isinstance(inner, Mapping):
            raise TypeError(f"a tool call needs a mapping {member!r}, not {inner!r:.80}, in {at}")
        given = inner.get("input") if member == "custom" else _arguments(inner.get("arguments"))
        found.append((call.get("id"), _text_of(inner, "name", at), given))
    older = raw.get("function_call")
    if isinstance(older, Mapping):
        found.append((None, _text_of(older, "name", where), _arguments(older.get("arguments"))))
    elif older is not None:
        raise TypeError(f"'function_call' must be a mapping, not {older!r:.80}, in {where}")
    return found


def _arguments(raw: object) -> object:
    """Return the arguments of a call, parsed from JSON text; a text that is not JSON is returned unchanged."""
    if not isinstance(raw, str):
        return raw
    import orjson  # not needed before a call is read

    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return raw


def _plain(content: object, where: str) -> str | None:
    """Return the output of a tool as text, None for no text; pictures are left out."""
    if content is None or isinstance(content, str):
        return content or None
    if not isinstance(content, list | tuple):
        raise TypeError(f"the output of a tool is text or a list of blocks, not {content!r:.80}, in {where}")
    return "\n".join(_words(content)) or None


def _words(value: object) -> Iterable[str]:
    """Yield the texts of blocks and of blocks inside them, in order."""
    if isinstance(value, list | tuple):
        for each in value:
            yield from _words(each)
    elif isinstance(value, Mapping):
        named = (value.get(name) for name in ("title", "url", "text", "stdout", "stderr"))
        yield from (text for text in named if isinstance(text, str) and text)
        yield from _words(value.get("content"))


def _text_of(block: Block, name: str, where: str) -> str:
    value = block.get(name)
    if not isinstance(value, str):
        raise TypeError(f"text is needed as {name!r}, not {value!r:.80}, in {where}")
    return value


def _text_or_none(block: Block, name: str, where: str) -> str | None:
    return None if block.get(name) is None else _text_of(block, name, where)
