"""Build a session from the lines of one pi or tallow session file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from recall_rank.loaders.content.times import millis
from recall_rank.loaders.content.titles import title_from
from recall_rank.loaders.content.values import text_of
from recall_rank.loaders.files.resume import StaleResumePointError
from recall_rank.loaders.json.parse import Record
from recall_rank.loaders.malformed import count
from recall_rank.loaders.pi.parts import FullOutputs, answered, content_parts, executed, summary, used
from recall_rank.loaders.pi.tree import Entry, parents, standing
from recall_rank.model import Flag, Message, Part, Role, Session, Tokens

VERSION = 3  # of the format, the newest that is known here
STARTS = ('{"type":',)

_SETTINGS = {"model_change", "thinking_level_change", "custom"}  # nothing that was said
_SUMMARIES = {"compaction", "branch_summary"}
_ROLES: dict[Any, Role] = {"user": "user", "assistant": "assistant"}
_FILE_ID = re.compile(r"[^_]*_(.+)")


@dataclass(slots=True)
class _Draft:
    """A message that later entries may extend."""

    entry: str
    role: Role
    time: int
    flags: Flag = Flag.NONE
    model: str | None = None
    parts: list[Part] = field(default_factory=list)
    tokens: Tokens | None = None
    cost: float | None = None

    def message(self, more: Flag, parent: str | None) -> Message:
        flags, parts = self.flags | more, tuple(self.parts)
        return Message(
            self.entry, self.role, self.time, parts, None, None, self.model, flags, self.tokens, self.cost, parent
        )  # fmt: skip


class PiLines:
    """Builds a session from the lines of one file, added in order. To continue an earlier reading of the file, pass
    as `before` what its state() returned.
    """

    def __init__(self, stem: str, outputs: FullOutputs, before: dict[str, Any] | None = None) -> None:
        self._outputs = outputs
        self._continues = before is not None
        kept = before or {}
        named = _FILE_ID.fullmatch(stem)
        self._id: str = kept.get("id") or (named[1] if named else stem)
        self._directory: str | None = kept.get("cwd")
        self._parent: str | None = kept.get("parent")
        self._created: int = kept.get("created", 0)
        self._updated: int = kept.get("updated", 0)
        self._name: str | None = kept.get("name")
        self._words: str | None = kept.get("words")
        self._last: str | None = kept.get("last")
        self._headed: bool = kept.get("headed", False)
        self._entries: list[Entry] = []
        self._seen: set[str] = set()
        self._drafts: dict[str, _Draft] = {}
        self._calls: dict[str, tuple[_Draft, int]] = {}
        self._warnings: dict[str, None] = {}
        self.unknown: dict[str, int] = {}  # records that were not read, by the warning about them

    def add(self, number: int, record: Record) -> str | None:
        """Add one record; returns the reason when it cannot be used, else None."""
        kind = record.get("type")
        if kind is None:
            return "a record without a type"
        if kind == "session":
            self._header(record)
            return None
        key = text_of(record.get("id"))
        if key is not None and key in self._seen:
            return None  # the same line again
        entry = self._entry(key or f"{self._id}:{number}", record)
        time = millis(record.get("timestamp"))
        self._created = self._created or time
        self._updated = max(self._updated, time)
        return self._take(str(kind), entry, time)

    def _entry(self, key: str, record: Record) -> Entry:
        self._seen.add(key)
        parent = text_of(record["parentId"]) if "parentId" in record else self._last
        if self._continues and parent != self._last:
            raise StaleResumePointError  # a branch: earlier messages may be abandoned now
        entry = Entry(key, parent, record)
        self._entries.append(entry)
        self._last = key
        return entry

    def _take(self, kind: str, entry: Entry, time: int) -> str | None:
        record = entry.record
        if kind == "message":
            return self._message(entry, time)
        if kind in _SUMMARIES:
            if self._continues:
                raise StaleResumePointError
            draft = self._draft(entry.id, "assistant", time, Flag.SUMMARY)
            draft.parts.append(summary(f"{entry.id}:0", record))
        elif kind == "custom_message":
            return self._said(entry.id, "user", record, time, Flag.SYNTHETIC)
        elif kind == "session_info":
            self._name = text_of(record.get("name"))
        elif kind == "label":
            self._label(entry, time)
        elif kind not in _SETTINGS:
            count(self.unknown, f"records of the unknown type {kind[:40]!r} were not read")
        return None

    def _header(self, record: Record) -> None:
        if self._continues:
            raise StaleResumePointError
        if self._headed:
            return
        self._headed = True
        self._id = text_of(record.get("id")) or self._id
        self._directory = text_of(record.get("cwd"))
        self._created = millis(record.get("timestamp"))
        source = text_of(record.get("parentSession"))
        named = _FILE_ID.fullmatch(re.split(r"[\\/]", source)[-1].removesuffix(".jsonl")) if source else None
        self._parent = named[1] if named else source
        version = record.get("version")
        if type(version) is int and version > VERSION:
            self._warnings[f"version {version} of the format was read as far as version {VERSION} goes"] = None

    # --- messages -----------------------------------------------------------------------------

    def _message(self, entry: Entry, entered: int) -> str | None:
        message = entry.record.get("message")
        if type(message) is not dict:
            return "a message entry without a message"
        time = entered or millis(message.get("timestamp"))
        role = text_of(message.get("role"))
        if role == "toolResult":
            return self._result(entry.id, message, time)
        if role == "bashExecution":
            flags = Flag.OUT_OF_CONTEXT if message.get("excludeFromContext") else Flag.NONE
            draft = self._draft(entry.id, "user", time, flags)
            draft.parts.append(executed(f"{entry.id}:0", message, self._outputs))
            return None
        if role in {"branchSummary", "compactionSummary"}:
            draft = self._draft(entry.id, "assistant", time, Flag.SUMMARY)
            draft.parts.append(summary(f"{entry.id}:0", message))
            return None
        if role in {"custom", "hookMessage"}:
            return self._said(entry.id, "user", message, time, Flag.SYNTHETIC)
        return self._said(entry.id, _ROLES.get(role, "system"), message, time, Flag.NONE)

    def _said(self, key: str, role: Role, message: dict[str, Any], time: int, flags: Flag) -> str | None:
        failure = text_of(message.get("errorMessage"))
        content = message.get("content")
        parts = content_parts(key, [] if content is None and failure else content)
        if parts is None:
            return "a message without content"
        draft = self._draft(key, role, time, flags)
        draft.model = text_of(message.get("model"))
        draft.tokens, draft.cost = used(message)
        if failure:
            parts.append(Part(f"{key}:error", "text", error=failure, flags=Flag.ERROR))
        if message.get("stopReason") == "error":
            draft.flags |= Flag.ERROR
        block = content if type(content) is list else ()
        calls = {f"{key}:{at}": text_of(one.get("id")) for at, one in enumerate(block) if type(one) is dict}
        for part in parts:
            if part.type == "tool" and (call := calls.get(part.id)):
                self._calls[call] = (draft, len(draft.parts))
            elif role == "user" and not (part.flags | flags) & Flag.SYNTHETIC:
                self._words = self._words or part.text
            draft.parts.append(part)
        return None

    def _result(self, key: str, message: dict[str, Any], time: int) -> str | None:
        """Add an output to its tool call, or as a message part of its own when the call is unknown or already has an
        output. Returns None, since an output can always be used. Raises StaleResumePointError when the unknown call may
        be in the part of the file that was read earlier.
        """
        call = self._calls.pop(str(message.get("toolCallId")), None)
        if call is not None:
            draft, at = call
            draft.parts[at] = answered(draft.parts[at], message, self._outputs)
            return None
        if self._continues:
            raise StaleResumePointError
        alone = Part(f"{key}:0", "tool", tool=text_of(message.get("toolName")))
        self._draft(key, "tool", time).parts.append(answered(alone, message, self._outputs))
        return None

    def _label(self, entry: Entry, time: int) -> None:
        """Add the name that the user gave to an entry; a later name replaces an earlier one, an empty one removes
        it.
        """
        target = str(entry.record.get("targetId"))
        if self._continues and target not in self._drafts:
            raise StaleResumePointError
        text = text_of(entry.record.get("label"))
        draft = self._drafts.get(target)
        if draft is not None:
            draft.parts = [part for part in draft.parts if part.type != "label"]
        elif text:
            draft = self._draft(entry.id, "user", time)
        if text and draft is not None:
            draft.parts.append(Part(f"{entry.id}:0", "label", text))

    def _draft(self, key: str, role: Role, time: int, flags: Flag = Flag.NONE) -> _Draft:
        draft = self._drafts[key] = _Draft(key, role, time, flags)
        return draft

    # --- the session -------------------------------------------------------------------------------

    def session(self, source: str, agent: str) -> Session | None:
        """Return the session with the messages that were added; None when there are none, unless an earlier reading is
        continued.
        """
        flags = {} if self._continues else standing(self._entries)
        drafts = [draft for draft in self._drafts.values() if draft.parts]
        above = parents(self._entries, {draft.entry for draft in drafts})
        messages = [draft.message(flags.get(draft.entry, Flag.NONE), above.get(draft.entry)) for draft in drafts]
        if not messages and not self._continues:
            return None
        title = " ".join((self._name or "").split()) or title_from(self._words)
        return Session(
            self._id,
            tuple(messages),
            title,
            self._directory,
            self._directory,
            None,
            self._created,
            self._updated,
            self._parent,
            source,
            agent,
            forked_from=self._parent,
        )

    def state(self) -> dict[str, Any]:
        """Return, as JSON values, what a later reading of the grown file needs as `before` to continue this one."""
        return {
            "id": self._id,
            "cwd": self._directory,
            "parent": self._parent,
            "created": self._created,
            "updated": self._updated,
            "name": self._name,
            "words": (self._words or "")[:1000] or None,
            "last": self._last,
            "headed": self._headed,
        }

    def warnings(self) -> list[str]:
        return [*self._warnings, *self.unknown]
