"""Convert the messages of a Gemini CLI conversation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from recall_rank.loaders.content.external_outputs import ExternalOutputs
from recall_rank.loaders.content.times import millis
from recall_rank.loaders.content.titles import is_injected
from recall_rank.loaders.content.usage import tokens_of
from recall_rank.loaders.content.values import mapping, text_of, touched_files
from recall_rank.loaders.json.parse import Record
from recall_rank.model import Flag, Message, Part, Role, Tokens

MASKED = "<tool_output_masked>"
SUMMARY = "<state_snapshot>"

_ROLES: dict[Any, Role] = {"user": "user", "gemini": "assistant"}
_INJECTED = re.compile(
    r"\s*(?:<(?:session_context|hook_context|state_snapshot|system-reminder)\b"
    r"|This is the Gemini CLI\. We are setting up the context|--- Content from referenced files ---"
    r"|System: Please continue\.)"
)
_SAVED_TO = re.compile(
    r"(?:<\w+>\s*)*(?:Output: )?(?:Output too large\.[^\n]*? see|\[Tool [^\n]*? saved to): *([^\r\n<\]]+)"
)
_HOOK_OPENS, _HOOK_CLOSES = "<hook_context>", "</hook_context>"
_PLAIN = {"", "Thinking"}  # subjects that say nothing


def message_from(record: Record, flags: Flag, outputs: ExternalOutputs, calls: set[str]) -> Message:
    """Return the message made from a record. `calls` are the ids of all tool calls in the conversation: an output of
    one of them is left to the message of its call.
    """
    key = str(record["id"])
    kind = record.get("type")
    if kind == "user":
        parts = list(_said(key, record, calls))
    elif kind == "gemini":
        parts = [*_thoughts(key, record), *_said(key, record, calls), *_calls(key, record, outputs)]
    else:
        flags |= Flag.SYNTHETIC
        parts = list(_said(key, record, calls))
        if kind == "error":
            flags |= Flag.ERROR
            parts = [replace(part, text=None, error=part.text) for part in parts]
    return Message(
        key,
        _ROLES.get(kind, "system"),
        millis(record.get("timestamp")),
        tuple(parts),
        model=text_of(record.get("model")),
        flags=flags,
        tokens=_used(mapping(record.get("tokens"))),
    )


def _used(tokens: dict[str, Any]) -> Tokens | None:
    """Return the token counts of an answer. Gemini's output count excludes reasoning and its input count excludes tool
    results; both are added here.
    """
    if not tokens:
        return None
    thought = tokens.get("thoughts")
    beside = (tokens.get("tool"),)
    return tokens_of(
        tokens.get("input"),
        tokens.get("output"),
        tokens.get("cached"),
        thought,
        beside_sent=beside,
        beside_written=(thought,),
    )


def typed(message: Message) -> str | None:
    """Return the text that a user typed in the message; None when there is none."""
    texts = [part.text for part in message.parts if part.type == "text" and not part.flags & Flag.SYNTHETIC]
    return next((text for text in texts if text), None) if message.role == "user" else None


def calls_of(record: Record) -> Iterator[Record]:
    """Yield the tool calls of a message's record."""
    calls = record.get("toolCalls")
    yield from (call for call in (calls if type(calls) is list else ()) if type(call) is dict)


def result_text(call: Record) -> tuple[str | None, str | None]:
    """(output, error) of a tool call; either is None when it is absent."""
    outputs: list[str] = []
    errors: list[str] = []
    for piece in _pieces(call.get("result")):
        inner = mapping(piece)
        text = piece if type(piece) is str else text_of(inner.get("text"))
        if text:
            outputs.append(text)
        answer = inner.get("functionResponse")
        response = mapping(answer.get("response")) if type(answer) is dict else None
        if response:
            output, error = text_of(response.get("output")), text_of(response.get("error"))
            outputs += [output] if output and (output := without_hook_context(output)) else []
            errors += [error] if error else []
    found = "\n".join(outputs) if outputs else text_of(call.get("resultDisplay"))
    return found, "\n".join(errors) if errors else None


def _pieces(content: Any) -> list[Any]:
    return content if type(content) is list else [content]


def _said(key: str, record: Record, calls: set[str]) -> Iterator[Part]:
    """Yield the texts of a message, and outputs of calls that are not in `calls`. Images and tool calls are left
    out.
    """
    by_user = record.get("type") == "user"
    shown = [text for piece in _pieces(record.get("displayContent")) if (text := _text(piece))] if by_user else []
    for index, piece in enumerate(_pieces(record.get("content"))):
        inner = mapping(piece)
        text = piece if type(piece) is str else text_of(inner.get("text"))
        answer = mapping(inner.get("functionResponse"))
        if text:
            if by_user:
                text = without_hook_context(text) or text
            thinking = bool(inner.get("thought"))
            flags = Flag.NONE
            if by_user:
                added = shown and not any(text in typed for typed in shown)
                if added or _INJECTED.match(text) or is_injected(text):
                    flags = Flag.SYNTHETIC
                if text.lstrip().startswith(SUMMARY):
                    flags |= Flag.SUMMARY
            yield Part(f"{key}:{index}", "reasoning" if thinking else "text", text, flags=flags)
        elif answer and str(answer.get("id")) not in calls:
            output, error = result_text({"result": [piece]})
            failed = Flag.ERROR if error else Flag.NONE
            name = text_of(answer.get("name"))
            yield Part(f"{key}:{index}", "tool", tool=name, output=output, error=error, flags=failed)


def without_hook_context(text: str) -> str:
    """Return a text without the contexts of hooks, <hook_context> to </hook_context>, that stand at either of its ends.

    Gemini CLI puts them before or behind what the user typed and behind the output of a tool. Tags inside of the text
    are words of it.
    """
    if _HOOK_CLOSES not in text:
        return text
    start, end = first, last = _skipped_blanks(text, 0), len(text.rstrip())
    while text.startswith(_HOOK_OPENS, start) and (closed := text.find(_HOOK_CLOSES, start, end)) >= 0:
        start = _skipped_blanks(text, closed + len(_HOOK_CLOSES))
    while end > start and text.endswith(_HOOK_CLOSES, start, end):
        opened = text.rfind(_HOOK_OPENS, start, end)
        if opened < 0 or (opened > start and text[opened - 1] != "\n"):
            break
        end = opened
        while end > start and text[end - 1].isspace():
            end -= 1
    return text if (start, end) == (first, last) else text[start:end]


def _skipped_blanks(text: str, at: int) -> int:
    """Return the place of the first character from `at` on that is no white space."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _text(piece: Any) -> str | None:
    return piece if type(piece) is str else text_of(mapping(piece).get("text"))


def _thoughts(key: str, record: Record) -> Iterator[Part]:
    thoughts = record.get("thoughts")
    for index, thought in enumerate(thoughts if type(thoughts) is list else ()):
        texts = (text_of(mapping(thought).get(name)) for name in ("subject", "description"))
        text = "\n".join(text for text in texts if text and text not in _PLAIN)
        if text:
            yield Part(f"{key}:thought{index}", "reasoning", text)


def _calls(key: str, record: Record, outputs: ExternalOutputs) -> Iterator[Part]:
    for index, call in enumerate(calls_of(record)):
        output, error = result_text(call)
        status = text_of(call.get("status"))
        flags = Flag.PRUNED if call.get("masked") else Flag.NONE
        if status == "error" or error:
            error, output = error or output, None
            flags |= Flag.ERROR
        saved = _SAVED_TO.match(output) if output else None
        if saved:
            output = outputs.read(saved[1].strip()) or output
        given = call.get("args")
        arguments = mapping(given)
        title = text_of(call.get("description"))
        if title and title in arguments.values():
            title = None
        files = touched_files(given)
        named = (arguments.get("absolute_path"), mapping(call.get("resultDisplay")).get("filePath"))
        more = [path for path in named if type(path) is str and path and path not in files]
        yield Part(
            f"{key}:call{index}",
            "tool",
            None,
            text_of(call.get("name")),
            given,
            output,
            error,
            title,
            None,
            "completed" if status == "success" else status,
            flags,
            tuple(dict.fromkeys((*files, *more))) if more or len(files) > 1 else files,
        )
