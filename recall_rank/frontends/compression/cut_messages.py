"""Cut the texts of messages so that they fit a number of tokens; a mark stands where text is missing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from recall_rank.frontends.compression.conversation import Count, Given, is_picture, tokens_of
from recall_rank.frontends.display_text import counted
from recall_rank.model import Message, Part
from recall_rank.model.chat_messages import ANSWER_BLOCKS, CALL_BLOCKS

LEAST_CHARS: Final = 200  # that are kept of a text
_THOUGHTS: Final = ("thinking", "redacted_thinking")


def cut_mark(chars: int) -> str:
    """Return the mark that stands where so many characters of a text are missing."""
    return f"\n[... {counted(chars, 'character', 'characters')} left out ...]\n"


def cut_text(text: str, most: int) -> str:
    """Return about `most` characters of a text: two thirds from its beginning and one from its end, a mark between."""
    mark = cut_mark(len(text))
    if len(text) <= most + len(mark):
        return text
    head, tail = most - most // 3, most // 3
    return text[:head] + cut_mark(len(text) - head - tail) + text[len(text) - tail :]


def fitted(messages: Sequence[Given], tokens: int, count: Count) -> list[Given] | None:
    """Return messages that have at most `tokens` tokens together, their longest texts cut; None when they do not fit
    with LEAST_CHARS characters of each text.

    Ids, names and roles are kept, so that a result still belongs to its call, and arguments of calls stay valid JSON.
    Pictures are replaced by a note, and thoughts, which are signed and cannot be cut, left out where no cut of texts
    is enough. The input is not changed.
    """
    if _size(messages, count) <= tokens:
        return list(messages)
    for cutter in (_TextCutter(LEAST_CHARS), _TextCutter(LEAST_CHARS, extras=False)):
        low, high = LEAST_CHARS, 1 + max(len(text) for text in [" " * LEAST_CHARS, *map(repr, messages)])
        if _size(replace(cutter, most=low).cut(messages), count) > tokens:
            continue
        while high - low > LEAST_CHARS // 4:  # the largest limit that fits
            middle = (low + high) // 2
            fits = _size(replace(cutter, most=middle).cut(messages), count) <= tokens
            low, high = (middle, high) if fits else (low, middle)
        return replace(cutter, most=low).cut(messages)
    return None


def with_note(given: Given, note: str) -> Given:
    """Return a message with a text added behind its own."""
    if isinstance(given, Message):
        return replace(given, parts=(*given.parts, Part(f"{given.id}-note", "text", note)))
    content = given.get("content")
    if isinstance(content, list | tuple):
        return {**given, "content": [*content, {"type": "text", "text": note}]}
    return {**given, "content": f"{content}\n\n{note}" if content else note}


def _size(messages: Sequence[Given], count: Count) -> int:
    return sum(tokens_of(each, count) for each in messages)


@dataclass(frozen=True, slots=True)
class _TextCutter:
    """Cuts every text of messages to about `most` characters; without `extras` pictures and thoughts are left out."""

    most: int
    extras: bool = True

    def cut(self, messages: Sequence[Given]) -> list[Given]:
        return [self._record(each) if isinstance(each, Message) else self._chat(each) for each in messages]

    def _record(self, message: Message) -> Message:
        parts = (part for part in message.parts if self.extras or part.type != "reasoning")
        return replace(message, parts=tuple(map(self._part, parts)))

    def _part(self, part: Part) -> Part:
        texts = {name: getattr(part, name) for name in ("text", "prompt", "output", "error")}
        cut: dict[str, Any] = {name: cut_text(text, self.most) for name, text in texts.items() if text}
        if part.type == "file" and not part.text and not self.extras:
            return replace(part, type="text", text="[file left out]", files=())
        return replace(part, **cut, input=self._value(part.input))

    def _chat(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        cut = dict(message)
        for name in ("content", "reasoning_content", "refusal"):
            if cut.get(name) is not None:
                cut[name] = self._content(cut[name])
        if message.get("tool_calls"):
            cut["tool_calls"] = [self._call(each) for each in message["tool_calls"]]
        if message.get("function_call"):
            cut["function_call"] = self._arguments(message["function_call"], "arguments")
        return cut

    def _content(self, content: Any) -> Any:
        """Return the content of a message or block with its texts cut."""
        if isinstance(content, str):
            return cut_text(content, self.most)
        if isinstance(content, list | tuple):
            kept = (each for each in content if self.extras or each.get("type") not in _THOUGHTS)
            cut = [self._block(each) for each in kept]
            return cut or [{"type": "text", "text": "[left out]"}]
        return self._block(content) if isinstance(content, Mapping) else content

    def _block(self, block: Mapping[str, Any]) -> Mapping[str, Any]:
        kind = block.get("type")
        if kind in _THOUGHTS:
            return block
        if is_picture(block):
            prefix = "input_" if str(kind).startswith("input_") else ""
            return block if self.extras else {"type": f"{prefix}text", "text": f"[{kind} left out]"}
        if kind in CALL_BLOCKS:
            return {**block, "input": self._value(block.get("input"))}
        if kind in ANSWER_BLOCKS:
            return {**block, "content": self._content(block.get("content"))} if "content" in block else block
        texts: dict[str, Any] = {
            name: cut_text(block[name], self.most) for name in ("text", "refusal") if block.get(name)
        }
        source = block.get("source")
        if isinstance(source, Mapping) and isinstance(source.get("data"), str):
            texts["source"] = {**source, "data": cut_text(source["data"], self.most)}
        return {**block, **texts}

    def _call(self, call: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a tool call in OpenAI's form with its arguments cut."""
        member = "custom" if call.get("type") == "custom" else "function"
        return {**call, member: self._arguments(call[member], "input" if member == "custom" else "arguments")}

    def _arguments(self, inner: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        """Return a named call with its arguments cut; JSON text is cut in its strings and stays JSON."""
        given = inner.get(name)
        if not isinstance(given, str):
            return {**inner, name: self._value(given)}
        if name == "input" or len(given) <= self.most:
            return {**inner, name: cut_text(given, self.most)}
        try:
            value = json.loads(given)
        except ValueError:
            return {**inner, name: cut_text(given, self.most)}
        return {**inner, name: json.dumps(self._value(value), ensure_ascii=False)}

    def _value(self, value: Any) -> Any:
        """Return a JSON value with its strings cut."""
        if isinstance(value, str):
            return cut_text(value, self.most)
        if isinstance(value, Mapping):
            return {key: self._value(item) for key, item in value.items()}
        return [self._value(item) for item in value] if isinstance(value, list | tuple) else value
