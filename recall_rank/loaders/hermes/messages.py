"""Convert the database rows of one Hermes session to messages; tool outputs are added to the calls they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from recall_rank.loaders.content.fast_replace import with_result
from recall_rank.loaders.content.times import millis, odd_time
from recall_rank.loaders.content.titles import is_injected
from recall_rank.loaders.content.values import mapping, text_of, touched_files
from recall_rank.loaders.hermes.rows import Record
from recall_rank.loaders.json.parse import parse_values
from recall_rank.loaders.payloads import strip_text
from recall_rank.loaders.sqlite.reader import decode_text
from recall_rank.model import Flag, Message, Part, Role

_ROLES: dict[Any, Role] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_SAID = ("role", "content", "tool_calls", "tool_call_id", "timestamp")
_STRUCTURED = ("\0json:", "\x01json:")
_SUMMARY = re.compile(r"\s*\[CONTEXT (?:COMPACTION|SUMMARY)\b")
_INJECTED = re.compile(
    r"\s*(?:\[(?:IMPORTANT: Background process|ASYNC DELEGATION BATCH COMPLETE|PRIOR CONTEXT"
    r"|Your active task list was preserved across context compression|Continuing toward your standing goal)"
    r"|Review the conversation above and (?:update the skill library|consider saving to memory))"
)
_TEXTS = {"text", "input_text", "output_text", "reasoning.text", "reasoning.summary"}


@dataclass(slots=True)
class HermesDraft:
    """A message whose tool calls may still get outputs."""

    id: str
    role: Role
    time: int
    flags: Flag
    model: str | None
    parts: list[Part]


class HermesMessages:
    """Builds messages from the rows of one session, added in order. `bad` has (row id, reason) of each row that
    cannot be used.
    """

    def __init__(self, model: str | None) -> None:
        self.bad: list[tuple[str, str]] = []
        self._model = model
        self._drafts: list[HermesDraft] = []
        self._calls: dict[str, tuple[HermesDraft, int]] = {}
        self._archived: dict[tuple[Any, ...], HermesDraft] = {}

    def add(self, row: Record) -> None:
        key = str(decode_text(row["id"]))
        role = decode_text(row["role"])
        flags = _left(row)
        if reason := odd_time(row["timestamp"]):
            self.bad.append((key, reason))
        draft = HermesDraft(key, _ROLES.get(role, "system"), millis(row["timestamp"]), flags, None, [])
        if flags or self._archived:
            same = tuple([row[name] for name in _SAID])
            if flags & Flag.OUT_OF_CONTEXT:
                self._archived[same] = draft
            elif same in self._archived:  # a compaction stores the messages that it keeps again
                self._archived.pop(same).flags &= ~Flag.OUT_OF_CONTEXT
                return
        self._drafts.append(draft)
        if role == "tool":
            self._answer(draft, row)
            return
        if role == "assistant":
            draft.model = self._model
            thought = _thought(row)
            if thought:
                draft.parts.append(Part(f"{key}:thought", "reasoning", thought))
        for index, text in enumerate(_texts(decode_text(row["content"]))):
            draft.parts.append(Part(f"{key}:{index}", "text", text, flags=_origin(role, text)))
        for call in self._calls_of(key, row["tool_calls"]):
            part = _call(f"{key}:call{len(draft.parts)}", call)
            for name in ("id", "call_id"):
                if text_of(call.get(name)):
                    self._calls[str(call[name])] = (draft, len(draft.parts))
            draft.parts.append(part)

    def _calls_of(self, key: str, raw: Any) -> Iterator[Record]:
        if not raw:
            return
        values, problem = parse_values(raw if type(raw) is bytes else str(raw).encode())
        calls = values[0] if len(values) == 1 else None
        if problem or type(calls) is not list:
            self.bad.append((key, f"tool_calls: {problem or 'not a list'}"))
            return
        yield from (call for call in calls if type(call) is dict)

    def _answer(self, draft: HermesDraft, row: Record) -> None:
        call = self._calls.get(str(decode_text(row["tool_call_id"])))
        if call is None:
            draft.parts.append(Part(f"{draft.id}:0", "tool", tool=decode_text(row["tool_name"])))
            call = (draft, 0)
        to, at = call
        output, error = _result(decode_text(row["content"]))
        to.parts[at] = with_result(to.parts[at], error or output, failed=bool(error))

    def messages(self) -> list[Message]:
        """Return the messages built so far. A row that only holds the output of a tool call becomes no message of its
        own.
        """
        return [
            Message(d.id, d.role, d.time, tuple(d.parts), None, None, d.model, d.flags) for d in self._drafts if d.parts
        ]


def typed(messages: list[Message]) -> Iterator[str]:
    """Yield the texts that a user typed, in order."""
    for message in messages:
        for part in message.parts if message.role == "user" else ():
            if part.text and not part.flags & (Flag.SYNTHETIC | Flag.SUMMARY):
                yield part.text


def _left(row: Record) -> Flag:
    """OUT_OF_CONTEXT for a row that a compaction summarised, ABANDONED for a row that the user took back, else no
    flag.
    """
    if row["active"] is None or row["active"]:
        return Flag.NONE
    return Flag.OUT_OF_CONTEXT if row["compacted"] else Flag.ABANDONED


def _origin(role: str | None, text: str) -> Flag:
    if _SUMMARY.match(text):
        return Flag.SUMMARY
    by_program = role != "assistant" and (role != "user" or _INJECTED.match(text) or is_injected(text))
    return Flag.SYNTHETIC if by_program else Flag.NONE


def _texts(content: str | None) -> list[str]:
    """Return the texts of a message's content, which is stored as text or as a list of content blocks; images are left
    out.
    """
    if not content:
        return []
    if not content.startswith(_STRUCTURED):
        return [strip_text(content)]
    values, _ = parse_values(content.partition(":")[2].encode("utf-8", "replace"))
    pieces = values[0] if values and type(values[0]) is list else values
    return list(_words(pieces))


def _words(pieces: Any) -> Iterator[str]:
    for piece in pieces if type(pieces) is list else ():
        inner = mapping(piece)
        shown = inner.get("type") is None or inner.get("type") in _TEXTS
        text = piece if type(piece) is str else text_of(inner.get("text") or inner.get("summary")) if shown else None
        if text:
            yield text


def _thought(row: Record) -> str | None:
    """Return the text of a row's reasoning, which may be in three columns; None when all are empty."""
    texts = [decode_text(row[name]) for name in ("reasoning", "reasoning_content")]
    if not any(texts) and row["reasoning_details"]:
        values, _ = parse_values(str(decode_text(row["reasoning_details"])).encode("utf-8", "replace"))
        texts += _words(values[0]) if values else []
    return "\n\n".join(dict.fromkeys(text for text in texts if text)) or None


def _call(key: str, call: Record) -> Part:
    function = mapping(call.get("function")) or call
    given = function.get("arguments")
    if type(given) is str:
        try:
            given = orjson.loads(given)
        except ValueError:
            given = {"input": given}
    return Part(
        key, "tool", tool=text_of(function.get("name")), input=given, status="pending", files=touched_files(given)
    )  # fmt: skip


def _result(content: str | None) -> tuple[str | None, str | None]:
    """(output, error) of a tool. Most tools return a JSON object with output, exit code and error."""
    texts = _texts(content)
    text = "\n".join(texts) or None
    if text is None or not text.startswith("{"):
        return text, None
    values, problem = parse_values(text.encode("utf-8", "replace"))
    answer = mapping(values[0]) if values and not problem else {}
    output, error = text_of(answer.get("output")), text_of(answer.get("error"))
    if output is None and not error:
        return "\n".join(_strings(answer)) or text, None
    if error:
        return None, "\n".join(piece for piece in (error, output) if piece)
    return (None, output or "failed") if answer.get("exit_code") not in {None, 0} else (output, None)


def _strings(value: Any) -> Iterator[str]:
    """Yield every string in a JSON value, in order."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if type(value) is str and value:
            yield value
        elif type(value) is dict:
            waiting.extend(reversed(value.values()))
        elif type(value) is list:
            waiting.extend(reversed(value))
