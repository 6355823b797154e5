"""Build a session from the events of one Copilot CLI session.

An answer names its tool calls; the outputs of the calls are separate events and are joined to the calls. Events of
subagents are mixed with those of the session and are marked. There are more than a hundred types of event, few of
which have text; an unknown type that has text is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recall_rank.loaders.content.external_outputs import ExternalOutputs, TemporaryOutputs
from recall_rank.loaders.content.times import millis
from recall_rank.loaders.content.titles import title_from
from recall_rank.loaders.content.usage import tokens_of
from recall_rank.loaders.content.values import mapping, text_of
from recall_rank.loaders.copilot.parts import NOTES, REPEATED, CopilotDraft, answered, call_part, said_parts
from recall_rank.loaders.copilot.workspace import remote_of
from recall_rank.loaders.files.resume import StaleResumePointError
from recall_rank.loaders.json.parse import Record
from recall_rank.loaders.malformed import count
from recall_rank.model import Flag, Part, Role, Session

AGENT = "copilot-cli"
STARTS = ('{"type":',)
VERSION = 1  # of the format, the newest that is known here
MOVED = "outputs that Copilot CLI moved to temporary files are gone, their previews are kept"
_WORDS = ("content", "message", "text", "summary")


class CopilotEvents:
    """Builds a session from the events of one file, added in order. To continue an earlier reading of the file,
    pass as `before` what its state() returned.
    """

    def __init__(self, outputs: ExternalOutputs, moved: TemporaryOutputs, before: dict[str, Any] | None = None) -> None:
        self._spills = outputs
        self._outside = moved
        self._continues = before is not None
        self._kept: dict[str, Any] = before or {
            "id": None, "cwd": None, "root": None, "model": None, "words": None, "title": None,
            "created": 0, "updated": 0, "thought": None, "agents": {}, "used": {}, "remote": None,
        }  # fmt: skip
        self._drafts: list[CopilotDraft] = []
        self._calls: dict[str, tuple[CopilotDraft, int]] = {}
        self._seen: set[str] = set()
        self._warnings: dict[str, None] = {}
        self.unknown: dict[str, int] = {}  # records that were not read, by the warning about them
        self._by_type: dict[str, Callable[[str, Record, Record], None]] = {
            "session.start": self._context,
            "session.resume": self._context,
            "session.context_changed": self._context,
            "session.model_change": self._context,
            "session.title_changed": self._context,
            "user.message": self._user,
            "session.usage_record": self._used,
            "assistant.usage": self._used,
            "assistant.message": self._assistant,
            "assistant.reasoning": self._reasoning,
            "tool.execution_start": self._started,
            "tool.execution_complete": self._completed,
            "session.compaction_complete": self._compacted,
            "session.context_cleared": self._cleared,
            "session.snapshot_rewind": self._rewound,
            "subagent.started": self._agent,
            **dict.fromkeys(NOTES, self._note),
        }

    def add(self, number: int, event: Record) -> str | None:
        """Add one event; returns the reason when it cannot be used, else None."""
        kind, data = event.get("type"), event.get("data")
        if type(kind) is not str or type(data) is not dict:
            return "an event without a type" if type(kind) is not str else "an event without data"
        key = text_of(event.get("id")) or f"event {number}"
        if key in self._seen:
            return None
        self._seen.add(key)
        time = millis(event.get("timestamp"))
        if time:
            kept = self._kept
            kept["updated"] = max(kept["updated"], time)
            if not 0 < kept["created"] <= time:
                kept["created"] = time
        handler = self._by_type.get(kind)
        if handler is not None:
            handler(key, event, data)
        elif not REPEATED.fullmatch(kind) and any(type(data.get(name)) is str and data[name] for name in _WORDS):
            count(self.unknown, f"events of the unknown type {kind[:60]!r} were not read")
        return None

    # --- events ------------------------------------------------------------------------------------

    def _context(self, key: str, event: Record, data: Record) -> None:
        kept = self._kept
        context = mapping(data.get("context")) or data
        kept["id"] = text_of(data.get("sessionId")) or kept["id"]
        kept["cwd"] = kept["cwd"] or text_of(context.get("cwd"))
        kept["root"] = kept["root"] or text_of(context.get("gitRoot"))
        kept["remote"] = kept["remote"] or remote_of(context)
        kept["model"] = text_of(data.get("selectedModel")) or text_of(data.get("newModel")) or kept["model"]
        kept["title"] = text_of(data.get("title")) or kept["title"]
        kept["created"] = millis(data.get("startTime")) or kept["created"]
        version = data.get("version")
        if type(version) is int and version > VERSION:
            self._warnings[f"version {version} of the format was read as far as version {VERSION} goes"] = None

    def _draft(self, key: str, event: Record, role: Role, flags: Flag = Flag.NONE) -> CopilotDraft:
        data = event["data"]
        parent = text_of(data.get("parentToolCallId"))
        if event.get("agentId") or parent:
            flags |= Flag.SUBAGENT
        draft = CopilotDraft(key, str(event.get("id")), role, millis(event.get("timestamp")), flags)
        draft.agent = self._kept["agents"].get(parent or "")
        self._drafts.append(draft)
        return draft

    def _user(self, key: str, event: Record, data: Record) -> None:
        draft = self._draft(self._own_id(key, data), event, "user")
        draft.parts += said_parts(draft.id, data)
        if self._kept["words"] is None and not draft.flags & Flag.SUBAGENT:
            typed = (part.text for part in draft.parts if part.type == "text" and not part.flags & Flag.SYNTHETIC)
            self._kept["words"] = next((text[:1000] for text in typed if text), None)

    def _assistant(self, key: str, event: Record, data: Record) -> None:
        draft = self._draft(self._own_id(key, data), event, "assistant")
        draft.model = text_of(data.get("model")) or self._kept["model"]
        used = self._kept["used"].pop(str(data.get("apiCallId")), ()) if self._kept["used"] else ()
        if used or "outputTokens" in data:
            draft.tokens = tokens_of(*used) if used else tokens_of(None, data["outputTokens"])
        thought = text_of(data.get("reasoningText"))
        if thought and thought != self._kept["thought"]:
            draft.parts.append(Part(f"{draft.id}:thought", "reasoning", thought))
        text = text_of(data.get("content"))
        if text:
            draft.parts.append(Part(f"{draft.id}:0", "text", text))
        requests = data.get("toolRequests")
        for request in requests if type(requests) is list else ():
            if type(request) is dict:
                self._call(draft, request, text_of(request.get("name")))

    def _used(self, key: str, event: Record, data: Record) -> None:
        """Record the token counts of a request. They come before the answer of the request and are linked to it by
        id.
        """
        usage = mapping(data.get("usage")) or data
        names = ("inputTokens", "outputTokens", "cacheReadTokens", "reasoningTokens")
        self._kept["used"] = {str(usage.get("apiCallId")): [usage.get(name) for name in names]}

    def _own_id(self, key: str, data: Record) -> str:
        """Return the id of the message; when an earlier event has that id, the id of this event instead."""
        own = text_of(data.get("messageId"))
        if not own or own in self._seen:
            return key
        self._seen.add(own)
        return own

    def _call(self, draft: CopilotDraft, request: Record, name: str | None) -> None:
        self._calls[str(request.get("toolCallId"))] = (draft, len(draft.parts))
        draft.parts.append(call_part(draft.id, request, name))

    def _reasoning(self, key: str, event: Record, data: Record) -> None:
        text = self._kept["thought"] = text_of(data.get("content"))
        if text:
            self._draft(key, event, "assistant").parts.append(Part(f"{key}:0", "reasoning", text))

    def _started(self, key: str, event: Record, data: Record) -> None:
        if str(data.get("toolCallId")) not in self._calls:
            self._changes_what_was_read()
            self._call(self._draft(key, event, "assistant"), data, text_of(data.get("toolName")))

    def _completed(self, key: str, event: Record, data: Record) -> None:
        call = self._calls.get(str(data.get("toolCallId")))
        if call is None:
            self._changes_what_was_read()
            call = (self._draft(key, event, "tool"), 0)
            call[0].parts.append(Part(f"{key}:0", "tool", tool=text_of(data.get("toolName"))))
        draft, at = call
        draft.parts[at] = answered(draft.parts[at], data, self._moved)

    def _moved(self, path: str) -> str | None:
        whole = self._spills.read(path) or self._outside.read(path)
        if whole is None:
            self._warnings[MOVED] = None
        return whole

    def _changes_what_was_read(self) -> None:
        if self._continues:
            raise StaleResumePointError

    def _compacted(self, key: str, event: Record, data: Record) -> None:
        if data.get("success") is False:
            self._note(key, {**event, "type": "session.error"}, {"message": data.get("error")})
            return
        self._cleared(key, event, data)
        path = text_of(data.get("checkpointPath"))
        summary = text_of(data.get("summaryContent")) or (self._spills.read(path) if path else None)
        flags = Flag.SUMMARY if summary else Flag.SYNTHETIC
        self._draft(key, event, "system", flags).parts.append(Part(f"{key}:0", "compaction", summary))

    def _cleared(self, key: str, event: Record, data: Record) -> None:
        self._changes_what_was_read()
        subagent = bool(event.get("agentId"))
        for draft in self._drafts:
            if bool(draft.flags & Flag.SUBAGENT) == subagent:
                draft.flags |= Flag.OUT_OF_CONTEXT

    def _rewound(self, key: str, event: Record, data: Record) -> None:
        self._changes_what_was_read()
        places = [at for at, draft in enumerate(self._drafts) if draft.event == data.get("upToEventId")]
        for draft in self._drafts[places[0] :] if places else ():
            draft.flags |= Flag.ABANDONED

    def _agent(self, key: str, event: Record, data: Record) -> None:
        name = text_of(data.get("agentName")) or text_of(data.get("agentDisplayName"))
        self._kept["agents"][str(data.get("toolCallId"))] = name

    def _note(self, key: str, event: Record, data: Record) -> None:
        text = next((text for text in (text_of(data.get(name)) for name in (*_WORDS, "error")) if text), None)
        if text:
            failed = str(event["type"]).endswith((".error", ".failed"))
            draft = self._draft(key, event, "system", Flag.SYNTHETIC | (Flag.ERROR if failed else Flag.NONE))
            draft.parts.append(Part(f"{key}:0", "text", None if failed else text, error=text if failed else None))

    # --- the session -------------------------------------------------------------------------------

    def session(self, key: str, source: str, workspace: dict[str, str]) -> Session | None:
        """Return the session with the messages that were added; None when there are none, unless an earlier reading is
        continued. `key` is its id where the events name none, and `workspace` has the names and values of the YAML file
        next to the events.
        """
        kept = self._kept
        messages = [draft.message() for draft in self._drafts if draft.parts]
        if not messages and not self._continues:
            return None
        directory = kept["cwd"] or workspace.get("cwd") or None
        worktree = kept["root"] or workspace.get("git_root") or None
        name = title_from(workspace.get("name") or workspace.get("summary"))
        return Session(
            kept["id"] or key,
            tuple(messages),
            name or kept["title"] or title_from(kept["words"]),
            directory,
            worktree or directory,
            worktree,
            kept["created"],
            max(kept["updated"], millis(workspace.get("updated_at"))),
            None,
            source,
            AGENT,
            repository=kept["remote"],
        )

    def state(self) -> dict[str, Any]:
        """Return, as JSON values, what a later reading of the grown file needs as `before` to continue this one."""
        return self._kept

    def warnings(self) -> list[str]:
        return [*self._warnings, *self.unknown]
