"""Build a session from one Gemini CLI conversation: a log of messages and changes, in older versions one JSON object.

A message is written again when its tool calls are done: the last record with an id counts. A `$set` record with
messages replaces the whole history and a `$rewindTo` record cuts it; messages that either one removes are kept and
flagged. When a session is resumed, its history is written again in the form of the API, without tool calls, thoughts,
models and times: what is known of a message stays.
"""

from __future__ import annotations

from typing import Any

from recall_rank.loaders.content.external_outputs import ExternalOutputs
from recall_rank.loaders.content.times import millis, odd_times
from recall_rank.loaders.content.titles import title_from
from recall_rank.loaders.content.values import text_of
from recall_rank.loaders.gemini.parts import MASKED, calls_of, message_from, result_text, typed
from recall_rank.loaders.json.parse import Record
from recall_rank.loaders.malformed import count
from recall_rank.model import Flag, Session

AGENT = "gemini-cli"
_SAID = {"user", "gemini"}
_KNOWN = {*_SAID, "info", "error", "warning"}


class GeminiChat:
    """Builds a session from the records of one file, added in order."""

    def __init__(self) -> None:
        self.meta: Record = {}
        self._records: dict[str, Record] = {}
        self._live: dict[str, None] = {}  # ids that are still in the history
        self._gone: dict[str, Flag] = {}
        self._notes: dict[str, None] = {}
        self.unknown: dict[str, int] = {}  # records that were not read, by the warning about them

    def add(self, record: Record) -> str | None:
        """Add one record; returns the reason when it cannot be used, else None."""
        patch = record.get("$set")
        if "$rewindTo" in record:
            self._rewind(str(record["$rewindTo"]))
        elif type(patch) is dict:
            return self._patch(patch)
        elif "id" in record:
            return self._message(record)
        elif "sessionId" in record:
            return self._patch(record)
        else:
            names = ", ".join(sorted(record)[:3])
            count(self.unknown, f"records of an unknown kind ({names[:40]}) were not read")
        return None

    def _patch(self, patch: Record) -> str | None:
        messages = patch.pop("messages", None)
        if "startTime" in self.meta:  # a resume writes the beginning of the log again
            patch.pop("startTime", None)
        self.meta.update(patch)
        if type(messages) is not list:
            return None if messages is None else "messages that are no list"
        problems = [self.add_message(message) for message in messages]
        now = [str(message["id"]) for message in messages if type(message) is dict and message.get("id")]
        for key in self._live.keys() - set(now):
            self._gone[key] = self._gone.get(key, Flag.NONE) | Flag.OUT_OF_CONTEXT
        self._live = dict.fromkeys(now)
        return next((problem for problem in problems if problem), None)

    def add_message(self, message: Any) -> str | None:
        """Add one message of a list; returns the reason when it cannot be used, else None."""
        if type(message) is not dict:
            return "a message that is no object"
        known = self._records.get(text_of(message.get("id")) or "", {})
        calls = {name: message[name] for name in ("toolCalls",) if name in message}  # outputs of them may be masked
        return self._message({**message, **known, **calls})

    def _message(self, record: Record) -> str | None:
        key = text_of(record.get("id"))
        if not key or "content" not in record:
            return "a message without an id" if not key else "a message without content"
        if record.get("type") not in _KNOWN:
            self._notes[f"messages of the unknown type {str(record.get('type'))[:40]!r} were read as notes"] = None
        known = self._records.get(key)
        if known is not None:
            _keep_masked(known, record)
        self._records[key] = record
        self._live[key] = None
        self._gone.pop(key, None)
        return next(odd_times(record, "timestamp"), None)

    def _rewind(self, key: str) -> None:
        order = list(self._live)
        for left in order[order.index(key) if key in self._live else 0 :]:
            self._gone[left] = Flag.ABANDONED
            del self._live[left]

    def session(
        self, stem: str, source: str, directory: str | None, parent: str | None, outputs: ExternalOutputs
    ) -> Session | None:  # fmt: skip
        """Return the session; None for a file without messages."""
        calls = {str(call.get("id")) for record in self._records.values() for call in calls_of(record)}
        messages = [
            message_from(record, self._gone.get(key, Flag.NONE), outputs, calls)
            for key, record in self._records.items()
        ]
        messages = [message for message in messages if message.parts]
        if not messages:
            return None
        times = [message.time for message in messages if message.time]
        title = text_of(self.meta.get("summary"))
        subagent = parent is not None or self.meta.get("kind") == "subagent"
        return Session(
            text_of(self.meta.get("sessionId")) or stem,
            tuple(messages),
            title or title_from(next(filter(None, map(typed, messages)), None)),
            directory,
            directory,
            None,
            millis(self.meta.get("startTime")) or min(times, default=0),
            max(millis(self.meta.get("lastUpdated")), *times, 0),
            parent,
            source,
            AGENT,
            Flag.SUBAGENT if subagent else Flag.NONE,
        )

    def warnings(self) -> list[str]:
        return [*self._notes, *self.unknown]


def _keep_masked(known: Record, record: Record) -> None:
    """Restore in `record` the tool outputs that `known`, an earlier record of the message, has and that the program
    masked later to save context.
    """
    before = {str(call.get("id")): call for call in calls_of(known)}
    for call in calls_of(record):
        full = before.get(str(call.get("id")))
        if full is not None and MASKED in (result_text(call)[0] or ""):
            call["masked"] = True
            if MASKED not in (result_text(full)[0] or MASKED):
                call["result"] = full.get("result")
