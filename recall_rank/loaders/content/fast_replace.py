"""Changed copies of message parts and messages, made field by field, which takes a fifth of the time of
dataclasses.replace().
"""

from __future__ import annotations

from collections.abc import Iterable

from recall_rank.model import Flag, Message, Part


def with_result(
    call: Part, text: str | None, *, failed: bool, status: str | None = None, more: Flag = Flag.NONE
) -> Part:
    """Return the tool call with `text` as its output or, when it `failed`, as its error. The flags `more` are added to
    its own. Without a `status`, the call's status becomes "error" or "completed".
    """
    flags = call.flags | more if more else call.flags
    if failed and not flags & Flag.ERROR:
        flags |= Flag.ERROR
    return Part(
        call.id,
        call.type,
        call.text,
        call.tool,
        call.input,
        None if failed else text,
        text if failed else call.error,
        call.title,
        call.prompt,
        status or ("error" if failed else "completed"),
        flags,
        call.files,
    )


def with_parts(message: Message, parts: Iterable[Part], more: Flag = Flag.NONE) -> Message:
    """Return the message with these message parts; the flags `more` are added to its own."""
    return Message(
        message.id,
        message.role,
        message.time,
        tuple(parts),
        message.author,
        message.agent,
        message.model,
        message.flags | more if more else message.flags,
        message.tokens,
        message.cost,
        message.parent,
    )
