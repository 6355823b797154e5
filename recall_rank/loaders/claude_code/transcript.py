"""Build a session from the records of one Claude Code transcript.

An assistant's turn is spread over several lines with one message id, and the output of a tool is in a later line with
the role of the user; these lines are joined to one message. Records that only repeat other records (progress,
snapshots, queues) are left out.
"""

from __future__ import annotations

import re
from typing import Any

from recall_rank.loaders.claude_code.blocks import attached_part, part_from, pruned, result_of, system_text
from recall_rank.loaders.claude_code.records import AGENT, REPEATS, SAID, TITLES, ClaudeDraft
from recall_rank.loaders.content.external_outputs import ExternalOutputs
from recall_rank.loaders.content.times import millis
from recall_rank.loaders.content.titles import is_injected, title_from
from recall_rank.loaders.content.values import mapping, text_of
from recall_rank.loaders.files.resume import StaleResumePointError
from recall_rank.loaders.json.parse import Record
from recall_rank.loaders.malformed import count
from recall_rank.model import Flag, Message, Part, Role, Session

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-", re.IGNORECASE)


class Transcript:
    """Builds a session from the records of one file, added in order. To continue an earlier reading of the file,
    pass as `before` what its state() returned.
    """

    def __init__(self, stem: str, outputs: ExternalOutputs, before: dict[str, Any] | None = None) -> None:
        self._stem = stem
        self._spills = outputs
        self._continues = before is not None
        kept = before or {}
        self._last_id: str | None = kept.get("last")
        self._titles: dict[str, str] = kept.get("titles", {})
        self._first_words: str | None = kept.get("words")
        self._directory: str | None = kept.get("cwd")
        self._session_id: str | None = kept.get("session")
        self._created: int = kept.get("created", 0)
        self._updated: int = kept.get("updated", 0)
        self._origin: str | None = kept.get("origin")
        self._sidechain: bool = kept.get("sidechain", True)  # every record so far belongs to a subagent
        self._drafts: dict[str, ClaudeDraft] = {}
        self._calls: dict[str, tuple[ClaudeDraft, int]] = {}
        self._uuids: set[str] = set()
        self._summaries: list[tuple[str, str]] = []
        self._outside = 0  # so many drafts were before the last compaction
        self._preserved: set[str] = set()
        self.unknown: dict[str, int] = {}  # records that were not read, by the warning about them

    # --- records -----------------------------------------------------------------------------------

    def add(self, record: Record) -> str | None:
        """Add one record; returns the reason when it cannot be used, else None."""
        kind = record.get("type")
        if kind in REPEATS:
            return None
        uuid = text_of(record.get("uuid"))
        if uuid:
            if uuid in self._uuids:
                return None
            self._uuids.add(uuid)
        if kind in SAID:
            return self._said(record, uuid or f"{self._stem}#{len(self._uuids)}")
        if kind == "system":
            self._system(record, uuid or f"{self._stem}#{len(self._uuids)}")
        elif kind == "attachment":
            self._attachment(record, uuid or f"{self._stem}#{len(self._uuids)}")
        elif kind == "summary":
            self._summaries.append((str(record.get("leafUuid")), text_of(record.get("summary")) or ""))
        elif kind in TITLES:
            title = text_of(record.get(TITLES[str(kind)]))
            if title:
                self._titles[str(kind)] = title
        elif kind is None:
            return "a record without a type"
        else:
            count(self.unknown, f"records of the unknown type {str(kind)[:40]!r} were not read")
        return None

    def _said(self, record: Record, uuid: str) -> str | None:
        message = record.get("message")
        if type(message) is not dict:
            return f"a record of type {record['type']} without a message"
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if type(content) is str else content
        if type(blocks) is not list:
            return "a message without content"
        self._seen(record)
        by_user = record["type"] == "user"
        blocks = [block for block in blocks if not self._answered(block)]
        if blocks:
            draft = self._user(record, uuid) if by_user else self._assistant(record, message, uuid)
            for index, block in enumerate(blocks):
                self._block(draft, record, f"{uuid}:{index}", block, by_user=by_user)
        return None

    def _user(self, record: Record, uuid: str) -> ClaudeDraft:
        flags = Flag.SUMMARY if record.get("isCompactSummary") else Flag.NONE
        return self._draft(uuid, uuid, "user", record, flags)

    def _assistant(self, record: Record, message: dict[str, Any], uuid: str) -> ClaudeDraft:
        key = text_of(message.get("id"))
        failed = bool(record.get("isApiErrorMessage"))
        if not key or failed:
            key = uuid
        if self._continues and key == self._last_id:
            raise StaleResumePointError
        self._last_id = key
        draft = self._drafts.get(key)
        if draft is None:
            draft = self._draft(key, uuid, "assistant", record, Flag.ERROR if failed else Flag.NONE)
            draft.model = text_of(message.get("model"))
            if draft.model == "<synthetic>":
                draft.flags |= Flag.SYNTHETIC
        else:
            draft.uuids.append(uuid)
        draft.used(message.get("usage"), record.get("costUSD"))
        return draft

    def _draft(self, key: str, uuid: str, role: Role, record: Record, flags: Flag) -> ClaudeDraft:
        if record.get("isSidechain"):
            flags |= Flag.SUBAGENT
        agent = text_of(record.get("attributionAgent"))
        draft = ClaudeDraft(key, role, millis(record.get("timestamp")), flags, agent, None, [uuid])
        self._drafts[key] = draft
        return draft

    def _block(self, draft: ClaudeDraft, record: Record, key: str, block: Any, *, by_user: bool) -> None:
        part = part_from(key, block)
        if part is None:
            return
        if by_user and part.type == "text" and part.text:
            if record.get("isMeta") or is_injected(part.text):
                draft.parts.append(Part(key, "text", part.text, flags=Flag.SYNTHETIC))
                return
            if self._first_words is None and not record.get("isCompactSummary"):
                self._first_words = part.text
        if part.type == "tool" and part.tool:
            self._calls[str(block.get("id"))] = (draft, len(draft.parts))
        draft.parts.append(part)

    def _answered(self, block: Any) -> bool:
        """Add the output of a tool to its call, and return True. Returns False when the block is no output or when its
        call is unknown. Raises StaleResumePointError when the unknown call may be in the part of the file that was read
        earlier.
        """
        if type(block) is not dict or not str(block.get("type", "")).endswith("tool_result"):
            return False
        call = self._calls.get(str(block.get("tool_use_id")))
        if call is None:
            if self._continues:
                raise StaleResumePointError
            return False
        draft, at = call
        draft.parts[at] = result_of(draft.parts[at], block, self._spills)
        return True

    def _system(self, record: Record, uuid: str) -> None:
        kind = record.get("subtype")
        if kind == "compact_boundary":
            self._compacted(record, uuid)
        elif kind == "microcompact_boundary":
            for call_id in mapping(record.get("microcompactMetadata")).get("compactedToolIds") or ():
                self._prune(str(call_id))
        else:
            text = system_text(record)
            if text:
                self._seen(record)
                failed = kind == "api_error"
                draft = self._draft(uuid, uuid, "system", record, Flag.SYNTHETIC)
                draft.flags |= Flag.ERROR if failed else Flag.NONE
                draft.parts.append(Part(f"{uuid}:0", "text", None if failed else text, error=text if failed else None))

    def _compacted(self, record: Record, uuid: str) -> None:
        if self._continues:
            raise StaleResumePointError
        self._seen(record)
        self._outside = len(self._drafts)
        kept = mapping(mapping(record.get("compactMetadata")).get("preservedMessages"))
        self._preserved = {str(one) for key in ("uuids", "allUuids") for one in kept.get(key) or ()}
        self._draft(uuid, uuid, "system", record, Flag.SYNTHETIC).parts.append(Part(f"{uuid}:0", "compaction"))

    def _prune(self, call_id: str) -> None:
        call = self._calls.get(call_id)
        if call is not None:
            draft, at = call
            draft.parts[at] = pruned(draft.parts[at])
        elif self._continues:
            raise StaleResumePointError

    def _attachment(self, record: Record, uuid: str) -> None:
        part = attached_part(f"{uuid}:0", record)
        if part is not None:
            self._seen(record)
            self._draft(uuid, uuid, "user", record, Flag.NONE).parts.append(part)

    def _seen(self, record: Record) -> None:
        """Update what is known of the session by what a record repeats about it: times, folder, origin, id, and whether
        it belongs to a subagent.
        """
        time = millis(record.get("timestamp"))
        if time:
            self._created = min(self._created or time, time)
            self._updated = max(self._updated, time)
        self._directory = self._directory or text_of(record.get("cwd"))
        if self._origin is None and "forkedFrom" in record:
            self._origin = text_of(mapping(record["forkedFrom"]).get("sessionId"))
        self._session_id = text_of(record.get("sessionId")) or self._session_id
        self._sidechain = self._sidechain and bool(record.get("isSidechain"))

    # --- the session -------------------------------------------------------------------------------

    def session(self, source: str) -> Session | None:
        """Return the session with the messages that were added; None when there are none, unless an earlier reading is
        continued.
        """
        messages = [self._message(at, draft) for at, draft in enumerate(self._drafts.values()) if draft.parts]
        if not messages and not self._continues:
            return None
        subagent = self._stem.startswith("agent-") and self._sidechain
        named = subagent or _UUID.match(self._stem) or not self._session_id
        return Session(
            self._stem if named else str(self._session_id),
            tuple(messages),
            self._title(),
            self._directory,
            self._directory,
            None,
            self._created,
            self._updated,
            self._session_id if subagent else self._origin,
            source,
            AGENT,
            Flag.SUBAGENT if subagent else Flag.NONE,
            forked_from=None if subagent else self._origin,
        )

    def _message(self, at: int, draft: ClaudeDraft) -> Message:
        outside = at < self._outside and self._preserved.isdisjoint(draft.uuids)
        return draft.message(Flag.OUT_OF_CONTEXT if outside else Flag.NONE)

    def _title(self) -> str | None:
        summary = next((text for leaf, text in reversed(self._summaries) if leaf in self._uuids and text), None)
        own = (self._titles.get(kind) for kind in ("custom-title", "ai-title"))
        return next((title for title in own if title), None) or summary or title_from(self._first_words)

    def state(self) -> dict[str, Any]:
        """Return, as JSON values, what a later reading of the grown file needs as `before` to continue this one."""
        words = (self._first_words or "")[:1000] or None
        return {
            "last": self._last_id, "titles": self._titles, "words": words, "cwd": self._directory,
            "session": self._session_id, "created": self._created, "updated": self._updated,
            "sidechain": self._sidechain, "origin": self._origin,
        }  # fmt: skip

    def warnings(self) -> list[str]:
        return list(self.unknown)
