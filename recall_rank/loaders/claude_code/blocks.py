"""Convert the content blocks of a Claude message to message parts."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from recall_rank.loaders.content.external_outputs import ExternalOutputs
from recall_rank.loaders.content.fast_replace import with_result
from recall_rank.loaders.content.titles import is_injected
from recall_rank.loaders.content.values import mapping, text_of, touched_files
from recall_rank.model import Flag, Part

CLEARED = "[Old tool result content cleared]"
_PERSISTED = "<persisted-output>"
_SAVED_TO = re.compile(r"saved to: (.+?)\s*$", re.MULTILINE)


def part_from(key: str, block: Any) -> Part | None:
    """Return the message part made from a content block; None for a block without text, such as redacted reasoning."""
    if type(block) is str:
        return Part(key, "text", block)
    if type(block) is not dict:
        return None
    kind = block.get("type")
    if kind == "text":
        text = text_of(block.get("text"))
        return Part(key, "text", text) if text else None
    if kind == "thinking":
        text = text_of(block.get("thinking"))
        return Part(key, "reasoning", text) if text else None
    if kind in {"tool_use", "server_tool_use", "mcp_tool_use"}:
        tool_input = block.get("input")
        return Part(
            key,
            "tool",
            tool=text_of(block.get("name")),
            input=tool_input,
            status="pending",
            files=touched_files(tool_input),
        )
    if str(kind).endswith("tool_result"):
        return _with_result(Part(key, "tool"), block, _result_text(block))
    if kind in {"image", "document"}:
        return _attached(key, block)
    text = text_of(block.get("text"))
    return Part(key, str(kind), text) if text else None


def result_of(call: Part, block: dict[str, Any], outputs: ExternalOutputs) -> Part:
    """Return the tool call `call` with the output in `block` added. An output that the agent stored in a file of its
    own is read from that file; when that fails, the preview in `block` is the output.
    """
    text = _result_text(block)
    if text and text.startswith(_PERSISTED) and (saved := _SAVED_TO.search(text)):
        text = outputs.read(saved[1]) or text
    return _with_result(call, block, text)


def pruned(call: Part) -> Part:
    """Return the tool call with a flag that says that its output is no longer sent to the model."""
    return replace(call, flags=call.flags | Flag.PRUNED)


def system_text(record: dict[str, Any]) -> str | None:
    """Return the text of a system record: its content, or the message of the failed request that it reports; None when
    it has neither.
    """
    failure = mapping(record.get("error"))
    inner = mapping(failure.get("error"))
    texts = (
        record.get("content"),
        mapping(inner.get("error")).get("message"),
        inner.get("message"),
        failure.get("message"),
    )
    return next((text for text in map(text_of, texts) if text), None)


def attached_part(key: str, record: dict[str, Any]) -> Part | None:
    """Return the message part made from an attachment record: a prompt typed while the agent worked, or a file shown to
    the agent; None for other attachments and for one without text.
    """
    attached = mapping(record.get("attachment"))
    kind = attached.get("type")
    if kind == "queued_command":
        prompt = attached.get("prompt")
        text, flags = _result_text({"content": prompt}), Flag.NONE
    elif kind == "file":
        text = text_of(mapping(mapping(attached.get("content")).get("file")).get("content"))
        flags = Flag.SYNTHETIC
    else:
        return None
    if not text:
        return None
    path = text_of(attached.get("filename"))
    return Part(key, "text", text, flags=Flag.SYNTHETIC if is_injected(text) else flags, files=(path,) if path else ())


def _with_result(call: Part, block: dict[str, Any], text: str | None) -> Part:
    pruned = Flag.PRUNED if text == CLEARED else Flag.NONE
    return with_result(call, text, failed=bool(block.get("is_error")), more=pruned)


def _result_text(block: dict[str, Any]) -> str | None:
    """Return the output of a tool as text; images are left out."""
    content = block.get("content")
    if type(content) is not list:
        return text_of(content)
    texts = [text_of(one.get("text")) if type(one) is dict else text_of(one) for one in content]
    return "\n".join(text for text in texts if text) or None


def _attached(key: str, block: dict[str, Any]) -> Part:
    """Return the message part made from an image or document; only a plain text document gets searchable text."""
    source = mapping(block.get("source"))
    text = text_of(source.get("data")) if source.get("type") == "text" else None
    return Part(key, "file", text)
