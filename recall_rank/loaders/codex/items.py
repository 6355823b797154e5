"""Convert the items of a Codex conversation (messages, reasoning, tool calls and their outputs) to message parts."""

from __future__ import annotations

import re
from typing import Any

import orjson

from recall_rank.loaders.content.fast_replace import with_result
from recall_rank.loaders.content.recalled_text import NOT_SEARCHED
from recall_rank.loaders.content.titles import is_injected
from recall_rank.loaders.content.values import mapping, text_of, touched_files
from recall_rank.loaders.json.parse import Record, parse_values
from recall_rank.model import Flag, Part

CALLS = {
    *("function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"),
    *("mcp_tool_call", "image_generation_call"),
}
OUTPUTS = {
    *("function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output"),
    *("mcp_tool_call_output",),
}
WORDLESS = {"ghost_snapshot", "compaction", "compaction_summary", "context_compaction", "additional_tools", "other"}

# What the program says in the user's name; newer versions also record where each text came from.
_INJECTED = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|turn_aborted|skill|subagent_notification"
    r"|permissions instructions|collaboration_mode|personality_spec|model_switch|user_shell_command"
    r"|skills_instructions|recommended_plugins|hook_prompt)\b|# AGENTS\.md instructions)"
)
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)", re.MULTILINE)
_HEADER = 400  # characters of an output in which the exit code stands
_TRUNCATED = re.compile(r"Warning: truncated output \(|…\d+ (?:chars|tokens) truncated…")
_PATCHED = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+?)\s*$", re.MULTILINE)
_KINDS_OF_TEXT = {"input_text", "output_text", "text", "summary_text", "reasoning_text"}


def texts_of(content: Any) -> list[str]:
    """Return the texts in the content of a message or output; images are left out."""
    if type(content) is not list:
        text = text_of(content)
        return [text] if text else []
    texts = (one.get("text") if type(one) is dict and one.get("type") in _KINDS_OF_TEXT else one for one in content)
    return [text for text in texts if type(text) is str and text]


def message_parts(key: str, item: Record) -> list[Part]:
    """Return the text parts of a message; a text that the program inserted is flagged as synthetic, and a developer's
    message, which holds instructions and the context that hooks add, is not searched.
    """
    role = item.get("role")
    about = mapping(item.get("internal_chat_message_metadata_passthrough"))
    origins, kinds = about.get("content_item_metadata"), about.get("content_item_kinds")
    found = []
    for index, text in enumerate(texts_of(item.get("content"))):
        flags = Flag.NONE
        if role == "user":
            origin = text_of(mapping(mapping(_at(origins, index)).get("provenance")).get("type"))
            if origin != "user" if origin else _INJECTED.match(text) or is_injected(text):
                flags = Flag.SYNTHETIC
        elif role == "developer":  # instructions of the program, and what hooks put in
            flags = NOT_SEARCHED
        elif role == "system":
            flags = Flag.SYNTHETIC
        if _at(kinds, index) == "compaction.summary":
            flags |= Flag.SUMMARY
        found.append(Part(f"{key}:{index}", "text", text, flags=flags))
    return found


def thought(key: str, item: Record) -> Part | None:
    """Return the message part made from a reasoning item; None when the item has no readable text, as encrypted
    reasoning.
    """
    texts = dict.fromkeys([*texts_of(item.get("summary")), *texts_of(item.get("content"))])
    return Part(key, "reasoning", "\n\n".join(texts)) if texts else None


def call_from(key: str, item: Record) -> Part:
    """Return the message part made from a tool call, still without output."""
    kind = item.get("type")
    name = text_of(item.get("name"))
    if kind == "custom_tool_call":
        tool_input: Any = {"input": item.get("input")}
    elif kind in {"function_call", "mcp_tool_call", "tool_search_call"}:
        tool_input = _arguments(item.get("arguments"))
    else:
        name = name or str(kind).removesuffix("_call")
        tool_input = item.get("action") or {"prompt": item.get("revised_prompt")}
    status = "completed" if kind in {"web_search_call", "image_generation_call"} else "pending"
    return Part(key, "tool", tool=name, input=tool_input, status=status, files=files_of(tool_input))


def answered(call: Part, item: Record, fuller: str | None, *, failed: bool) -> Part:
    """Return the tool call with its output. `fuller` is the output as a second record states it; it replaces the one in
    `item` where that was cut. `failed` tells that a record reported the call as failed.
    """
    output = item.get("output", item.get("tools"))
    if type(output) is dict and "content" in output:
        failed = failed or output.get("success") is False
        output = output["content"]
    if type(output) is dict and "Err" in output:
        failed, output = True, output["Err"]
    text = "\n".join(texts_of(output)) or None
    if text and text.startswith('{"output":'):  # of early versions
        text, failed = _unpacked(text, failed=failed)
    if text:
        code = _EXIT.search(text, 0, _HEADER) if text.find(" code", 0, _HEADER) >= 0 else None
        failed = failed or (code is not None and code[1] != "0")
        cut = _TRUNCATED.search(text) if fuller and len(fuller) > len(text) else None
        if cut:
            head, mark, _ = text.partition("Output:\n")
            text = (head + mark if mark and len(head) < _HEADER else "") + (fuller or "")
    return with_result(call, text, failed=failed)


def files_of(tool_input: Any) -> tuple[str, ...]:
    """Return the paths of the files that a tool call names, including those that a patch changes."""
    texts = tool_input.values() if type(tool_input) is dict else ()
    flat = [one for text in texts for one in (text if type(text) is list else [text])]
    patched = [path for text in flat if type(text) is str and "*** " in text for path in _PATCHED.findall(text)]
    named = touched_files(tool_input)
    return tuple(dict.fromkeys([*named, *patched])) if patched or len(named) > 1 else named


def _arguments(value: Any) -> Any:
    """Return the arguments of a tool call, parsed from JSON text; text that is not JSON becomes {"input": text}."""
    if type(value) is not str:
        return value
    try:
        return orjson.loads(value)
    except ValueError:
        return {"input": value}


def _unpacked(text: str, *, failed: bool) -> tuple[str, bool]:
    values, _ = parse_values(text.encode("utf-8", "replace"))
    inner = mapping(values[0]) if values else {}
    code = mapping(inner.get("metadata")).get("exit_code")
    output = text_of(inner.get("output"))
    return (text if output is None else output), failed or code not in {None, 0}


def _at(values: Any, index: int) -> Any:
    return values[index] if type(values) is list and index < len(values) else None


def touched(report: Record) -> list[str]:
    """Return the paths of the files that a tool call read or changed, as an event reports them."""
    read = report.get("parsed_cmd")
    steps = [one for one in read if type(one) is dict and one.get("type") == "read"] if type(read) is list else []
    paths = [*(step.get("path") for step in steps), *mapping(report.get("changes"))]
    return [path for path in paths if type(path) is str and path]
