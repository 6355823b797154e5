"""Convert the events of Copilot CLI to message parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from recall_rank.loaders.content.fast_replace import with_result
from recall_rank.loaders.content.titles import is_injected
from recall_rank.loaders.content.values import mapping, text_of, touched_files
from recall_rank.loaders.json.parse import Record
from recall_rank.model import Flag, Message, Part, Role, Tokens

REPEATED = re.compile(
    r"assistant\.\w+_delta|tool\.execution_(?:partial_result|progress)|session\.task_complete|hook\.\w+"
)
NOTES = {
    *("session.info", "session.warning", "session.error", "subagent.failed"),
    *("system.message", "system.notification", "skill.invoked"),
}
_MOVED = re.compile(r"Output too large to read at once \([^\n]*?Saved to: (.+)")


@dataclass(slots=True)
class CopilotDraft:
    """A message whose tool calls may still get outputs."""

    id: str
    event: str
    role: Role
    time: int
    flags: Flag
    agent: str | None = None
    model: str | None = None
    parts: list[Part] = field(default_factory=list)
    tokens: Tokens | None = None

    def message(self) -> Message:
        parts = tuple(self.parts)
        return Message(self.id, self.role, self.time, parts, None, self.agent, self.model, self.flags, self.tokens)


def said_parts(key: str, data: Record) -> Iterator[Part]:
    """Yield the message parts that a user typed or attached; a text that a program inserted is flagged as synthetic."""
    text = text_of(data.get("content"))
    if text:
        by_program = data.get("source") not in {None, "", "user"} or is_injected(text)
        yield Part(f"{key}:0", "text", text, flags=Flag.SYNTHETIC if by_program else Flag.NONE)
    attached = data.get("attachments")
    for index, one in enumerate(attached if type(attached) is list else (), 1):
        path = text_of(mapping(one).get("path")) or text_of(mapping(one).get("filePath"))
        words = text_of(mapping(one).get("text"))
        yield Part(f"{key}:{index}", "file", words, flags=Flag.SYNTHETIC, files=(path,) if path else ())


def call_part(key: str, request: Record, name: str | None) -> Part:
    """Return the message part made from a tool call, still without output."""
    given = request.get("arguments")
    given = {"input": given} if type(given) is str else given
    title = text_of(request.get("intentionSummary"))
    return Part(
        f"{key}:{request.get('toolCallId')}",
        "tool",
        tool=name,
        input=given,
        title=title if title and title not in mapping(given).values() else None,
        status="pending",
        files=touched_files(given),
    )


def answered(call: Part, data: Record, whole: Callable[[str], str | None]) -> Part:
    """Return the tool call with its output. Where the agent stored the full text in a separate file, `whole` returns it
    for the recorded path.
    """
    result = mapping(data.get("result"))
    output = text_of(result.get("content")) or text_of(result.get("detailedContent")) or text_of(data.get("result"))
    moved = _MOVED.match(output) if output else None
    if moved:
        output = whole(moved[1].strip()) or output
    if data.get("success") is not False:
        return with_result(call, output, failed=False)
    error = data.get("error")
    error = text_of(mapping(error).get("message")) or text_of(error) or output
    return with_result(call, error, failed=True)
