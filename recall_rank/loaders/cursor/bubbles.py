"""Convert a bubble, that is the record of one message in Cursor's editor, to message parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from recall_rank.loaders.content.times import millis
from recall_rank.loaders.content.titles import is_injected
from recall_rank.loaders.content.values import listed, mapping, text_of, touched_files
from recall_rank.loaders.json.parse import Record, parse_values
from recall_rank.model import Flag, Part

_PATHS = ("target_file", "targetFile", "relativeWorkspacePath", "effectiveUri", "targetDirectory")
_CLOCK = ("clientRpcSendTime", "clientSettleTime", "clientEndTime")


def parts_of(key: str, bubble: Record, tool: dict[str, Any]) -> list[Part]:
    """Return the message parts of a bubble. `tool` is its tool call, which older versions of Cursor store outside of
    the bubble.
    """
    found: list[Part] = []
    for thought in _thoughts(bubble):
        found.append(Part(f"{key}:thinking{len(found)}", "reasoning", thought))
    text = text_of(bubble.get("text"))
    if text:
        synthetic = bubble.get("type") == 1 and is_injected(text)
        found.append(Part(f"{key}:text", "text", text, flags=Flag.SYNTHETIC if synthetic else Flag.NONE))
    if tool:
        found.append(_tool(f"{key}:tool", tool))
    found += _code(key, bubble, text or "")
    summary = text_of(mapping(bubble.get("conversationSummary")).get("summary"))
    if summary:
        found.append(Part(f"{key}:summary", "compaction", summary, flags=Flag.SUMMARY))
    failure = _message(bubble.get("errorDetails"))
    if failure:
        found.append(Part(f"{key}:error", "text", error=failure, flags=Flag.ERROR))
    found += [Part(f"{key}:image{at}", "file") for at, _ in enumerate(listed(bubble.get("images")))]
    return found


def time_of(bubble: Record) -> int:
    """Return the time of the message in milliseconds since 1970 UTC; 0 when it is not recorded."""
    timing = mapping(bubble.get("timingInfo"))
    clocks: Iterator[Any] = (timing.get(name) for name in _CLOCK)
    # Some of these clocks count from the program's start.
    counted = (value for value in clocks if type(value) in {int, float} and value > 1 << 40)
    return next(filter(None, map(millis, (bubble.get("createdAt"), *counted))), 0)


def tools_apart(composer: Record) -> dict[str, dict[str, Any]]:
    """Return a mapping from bubble id to the tool call of that bubble, for the calls that older versions of Cursor
    store with the conversation.
    """
    found: dict[str, dict[str, Any]] = {}
    for capability in listed(composer.get("capabilities")):
        stored = mapping(mapping(capability).get("data")).get("bubbleDataMap")
        found.update((key, value) for key, value in mapping(unpacked(stored)).items() if type(value) is dict)
    return found


def unpacked(value: Any) -> Any:
    """Return the value, parsed when it is JSON text; text that is not JSON and other values are returned unchanged."""
    if type(value) is not str or value[:1] not in {"{", "["}:
        return value
    values, problem = parse_values(value.encode("utf-8", "replace"))
    return values[0] if len(values) == 1 and problem is None else value


def _thoughts(bubble: Record) -> Iterator[str]:
    blocks = [bubble.get("thinking"), *listed(bubble.get("allThinkingBlocks"))]
    seen = set()
    for block in blocks:
        text = text_of(mapping(block).get("text")) or text_of(mapping(block).get("thinking")) or text_of(block)
        if text and text not in seen:
            seen.add(text)
            yield text


def _tool(key: str, tool: dict[str, Any]) -> Part:
    given = unpacked(tool.get("rawArgs"))
    known = unpacked(tool.get("params"))
    tool_input = given or known
    status = text_of(tool.get("status")) or "completed"
    failure = _message(unpacked(tool.get("error")))
    output = "\n".join(_strings(unpacked(tool.get("result")))) or None
    failed = status == "error" or failure is not None
    named = [path for values in (given, known) if type(values) is dict for path in _files(values)]
    return Part(
        key,
        "tool",
        tool=text_of(tool.get("name")),
        input=tool_input,
        output=None if failed else output,
        error=(failure or output) if failed else None,
        status="error" if failed else status,
        flags=Flag.ERROR if failed else Flag.NONE,
        files=tuple(dict.fromkeys(named)),
    )


def _files(values: dict[str, Any]) -> Iterator[str]:
    yield from touched_files(values)
    for name in _PATHS:
        path = text_of(values.get(name))
        if path:
            yield path


def _code(key: str, bubble: Record, text: str) -> Iterator[Part]:
    """Yield the code blocks of a bubble that its text does not contain already."""
    for at, block in enumerate(listed(bubble.get("codeBlocks"))):
        code = text_of(mapping(block).get("content"))
        if code and code.strip() not in text:
            path = text_of(mapping(mapping(block).get("uri")).get("path"))
            yield Part(f"{key}:code{at}", "patch", code, files=(path,) if path else ())


def _message(error: Any) -> str | None:
    """Return the message of an error that is stored as text or as an object; None when it has none."""
    if type(error) is not dict:
        return text_of(error) or None
    names = ("message", "modelVisibleErrorMessage", "clientVisibleErrorMessage", "error", "detail")
    told = (_message(unpacked(error.get(name))) for name in names)
    return next((text for text in told if text), None)


def _strings(value: Any) -> Iterator[str]:
    """Yield all strings inside a JSON value, in order."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if type(value) is str:
            if value:
                yield value
        elif type(value) is dict:
            waiting.extend(reversed(value.values()))
        elif type(value) is list:
            waiting.extend(reversed(value))
