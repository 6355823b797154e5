"""Convert OpenCode's JSON parts to message parts."""

from __future__ import annotations

from typing import Any

from recall_rank.loaders.content.external_outputs import ExternalOutputs
from recall_rank.loaders.content.titles import unquote_prompt
from recall_rank.loaders.content.usage import tokens_of
from recall_rank.loaders.content.values import mapping, text_of, touched_files
from recall_rank.model import Flag, Part, Tokens


def part_from(key: str, data: dict[str, Any], *, by_user: bool, outputs: ExternalOutputs) -> Part:
    """Return the message part made from an OpenCode part. A type without text (step-start, snapshot, ...) gives a
    message part without text.
    """
    kind = text_of(data.get("type")) or "unknown"
    if kind == "tool":
        return _tool(key, data, outputs)
    if kind in {"text", "reasoning"}:
        text = text_of(data.get("text"))
        injected = data.get("synthetic") or data.get("ignored")
        if text and by_user and not injected:
            text = unquote_prompt(text)
        return Part(key, kind, text, flags=Flag.SYNTHETIC if injected else Flag.NONE)
    if kind == "subtask":
        return Part(key, kind, text_of(data.get("description")), prompt=text_of(data.get("prompt")))
    if kind == "retry":
        return Part(key, kind, error=error_text(data.get("error")), flags=Flag.ERROR)
    if kind == "patch":
        files = data.get("files")
        return Part(key, kind, files=tuple(map(str, files)) if type(files) is list else ())
    if kind == "file":
        path = text_of(mapping(data.get("source")).get("path")) or text_of(data.get("filename"))
        return Part(key, kind, files=(path,) if path else ())
    return Part(key, kind, text_of(data.get("text")))


def _tool(key: str, data: dict[str, Any], outputs: ExternalOutputs) -> Part:
    state = mapping(data.get("state"))
    status = text_of(state.get("status"))
    tool_input = state.get("input")
    output = error = title = None
    flags = Flag.NONE
    if status == "error":
        error = error_text(state.get("error"))
        flags |= Flag.ERROR
    elif status == "completed":
        output = text_of(state.get("output"))
        title = text_of(state.get("title"))
        spilled = text_of(mapping(state.get("metadata")).get("outputPath"))
        if spilled:
            output = outputs.read(spilled) or output
        if mapping(state.get("time")).get("compacted"):
            flags |= Flag.PRUNED
    return Part(
        key,
        "tool",
        None,
        text_of(data.get("tool")),
        tool_input,
        output,
        error,
        title,
        None,
        status,
        flags,
        touched_files(tool_input),
    )


def error_text(error: Any) -> str | None:
    """Return the message of an error that is stored as text or as {"name", "data": {"message"}}; None without one."""
    if type(error) is not dict:
        return text_of(error)
    message = text_of(mapping(error.get("data")).get("message")) or text_of(error.get("message"))
    return message or text_of(error.get("name"))


def used(message: dict[str, Any]) -> Tokens | None:
    """Return the token counts of an answer. OpenCode's counts exclude cached and reasoning tokens; these include
    them.
    """
    tokens = mapping(message.get("tokens"))
    cache = mapping(tokens.get("cache"))
    read, thought = cache.get("read"), tokens.get("reasoning")
    return tokens_of(
        tokens.get("input"),
        tokens.get("output"),
        read,
        thought,
        beside_sent=(read, cache.get("write")),
        beside_written=(thought,),
    )


def used_by(session: dict[str, Any]) -> Tokens | None:
    """Return the token counts of a session, from columns of its row that correspond to the fields of an answer."""
    cache = {"read": session["tokens_cache_read"], "write": session["tokens_cache_write"]}
    counts = {name: session[f"tokens_{name}"] for name in ("input", "output", "reasoning")}
    return used({"tokens": {**counts, "cache": cache}})
