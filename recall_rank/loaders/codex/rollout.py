"""Build a session from the records of one Codex rollout.

Messages and calls are in `response_item` records. `event_msg` records repeat them and are read only for data that
nothing else holds: the full output of a command whose output was cut, files of a patch, names, rollbacks. One answer
of the model (reasoning, text, calls) is one message, and the outputs of its calls belong to it. Older files have items
without the wrapping record.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from recall_rank.loaders.codex.items import (
    CALLS,
    OUTPUTS,
    WORDLESS,
    answered,
    call_from,
    message_parts,
    thought,
    touched,
)
from recall_rank.loaders.codex.meta import RolloutMeta, nothing_yet, take
from recall_rank.loaders.codex.turns import RolloutTurn, account, compact, roll_back
from recall_rank.loaders.content.times import millis
from recall_rank.loaders.content.titles import title_from
from recall_rank.loaders.content.values import mapping, text_of
from recall_rank.loaders.files.resume import StaleResumePointError
from recall_rank.loaders.json.parse import Record
from recall_rank.loaders.malformed import count
from recall_rank.loaders.projects.repositories import remote_name
from recall_rank.model import Flag, Part, Role, Session

AGENT = "codex"
STARTS = ('{"timestamp":',)
_ROLES: dict[Any, Role] = {"user": "user", "assistant": "assistant"}
_QUIET = {"world_state", "token_usage_record", "security_risk_score", "inter_agent_communication_metadata"}


class Rollout:
    """Builds a session from the records of one file, added in order. To continue an earlier reading of the file,
    pass as `before` what its state() returned.
    """

    def __init__(self, stem: str, before: dict[str, Any] | None = None) -> None:
        self._stem = stem
        self._continues = before is not None
        self._kept: RolloutMeta = before or nothing_yet()
        self._turns: list[RolloutTurn] = []
        self._calls: dict[str, tuple[RolloutTurn, int]] = {}
        self._fuller: dict[str, str] = {}
        self._failed: set[str] = set()
        self._seen: set[str] = set()
        self.unknown: dict[str, int] = {}  # records that were not read, by the warning about them

    def add(self, number: int, record: Record) -> str | None:
        """Add one record; returns the reason when it cannot be used, else None."""
        kind, payload = record.get("type"), record.get("payload")
        if "payload" not in record:
            bare = record.get("record_type") or (kind is None and "id" in record and "timestamp" in record)
            kind, payload = ("session_meta" if bare else "response_item"), record
        if type(payload) is not dict:
            return "a record without a payload"
        time = millis(record.get("timestamp"))
        if time:
            kept = self._kept
            kept["created"], kept["updated"] = min(kept["created"] or time, time), max(kept["updated"], time)
        if kind == "response_item":
            return self._item(number, payload, time, mapping(record.get("metadata")))
        if kind == "event_msg":
            self._event(payload, number, time)
        elif kind == "session_meta":
            take(self._kept, payload)
        elif kind == "turn_context":
            self._kept["model"] = text_of(payload.get("model")) or self._kept["model"]
            self._kept["cwd"] = self._kept["cwd"] or text_of(payload.get("cwd"))
        elif kind == "compacted":
            self._compacted(number, payload, time)
        elif kind == "inter_agent_communication":
            self._between_agents(number, payload, time)
        elif kind not in _QUIET:
            count(self.unknown, f"records of the unknown type {str(kind)[:40]!r} were not read")
        return None

    # --- records -----------------------------------------------------------------------------------

    def _item(self, number: int, item: Record, time: int, about: Record) -> str | None:
        kind = item.get("type")
        own = text_of(item.get("id"))
        if own:
            if own in self._seen:
                return None
            self._seen.add(own)
        key = own or f"{self._stem}:{number}"
        if kind == "message":
            self._message(key, item, time, about)
        elif kind == "reasoning":
            part = thought(f"{key}:0", item)
            if part is not None:
                self._answer(key, time).parts.append(part)
        elif kind in CALLS:
            turn = self._answer(key, time)
            self._calls[str(item.get("call_id") or item.get("id"))] = (turn, len(turn.parts))
            turn.parts.append(call_from(f"{key}:0", item))
        elif kind in OUTPUTS:
            self._output(key, item, time)
        elif kind == "agent_message":
            self._between_agents(number, item, time)
        elif kind is None:
            return "an item without a type"
        elif kind not in WORDLESS:
            count(self.unknown, f"items of the unknown type {str(kind)[:40]!r} were not read")
        return None

    def _message(self, key: str, item: Record, time: int, about: Record) -> None:
        parts = message_parts(key, item)
        if not parts:
            return
        role = _ROLES.get(item.get("role"), "system")
        if role == "assistant":
            turn = self._answer(key, time)
            if about.get("compaction_output"):
                turn.flags |= Flag.SUMMARY
        else:
            turn = self._turn(key, role, time)
            turn.typed = role == "user" and any(not part.flags & Flag.SYNTHETIC for part in parts)
            if turn.typed and self._kept["words"] is None:
                self._kept["words"] = next(str(part.text)[:1000] for part in parts if not part.flags & Flag.SYNTHETIC)
        turn.parts += parts

    def _answer(self, key: str, time: int) -> RolloutTurn:
        """Return the turn of the model to which an item belongs; a turn lasts until the next input to the model, and a
        new one is begun after that. Raises StaleResumePointError when the turn was read by an earlier reading.
        """
        if self._kept["answering"]:
            if not self._turns:
                raise StaleResumePointError
            return self._turns[-1]
        turn = self._turn(key, "assistant", time)
        self._kept["answering"] = True
        return turn

    def _turn(self, key: str, role: Role, time: int) -> RolloutTurn:
        self._kept["answering"] = False
        self._turns.append(RolloutTurn(key, role, time, self._kept["model"] if role == "assistant" else None))
        return self._turns[-1]

    def _output(self, key: str, item: Record, time: int) -> None:
        call_id = str(item.get("call_id"))
        call = self._calls.get(call_id)
        if call is None:
            self._changes_what_was_read()
        self._kept["answering"] = False
        turn, at = call or (self._turn(key, "tool", time), 0)
        if call is None:
            turn.parts.append(Part(f"{key}:0", "tool"))
        fuller = self._fuller.pop(call_id, None)
        turn.parts[at] = answered(turn.parts[at], item, fuller, failed=call_id in self._failed)

    def _between_agents(self, number: int, item: Record, time: int) -> None:
        key = text_of(item.get("id")) or f"{self._stem}:{number}"
        parts = message_parts(key, {**item, "role": "system"})
        if parts:
            turn = self._turn(key, "user", time)
            turn.author = text_of(item.get("author"))
            turn.parts += parts

    def _event(self, event: Record, number: int, time: int) -> None:
        kind = event.get("type")
        if kind == "item_completed":
            item = mapping(event.get("item"))
            self._ran(str(item.get("id")), item)
        elif kind in {"exec_command_end", "patch_apply_end"}:
            self._ran(str(event.get("call_id")), event)
        elif kind == "token_count":
            self._used(mapping(event.get("info")))
        elif kind == "thread_name_updated":
            self._kept["name"] = text_of(event.get("thread_name")) or self._kept["name"]
        elif kind == "thread_rolled_back":
            self._changes_what_was_read()
            roll_back(self._turns, event.get("num_turns"))
            self._kept["answering"] = False
        elif kind in {"error", "stream_error"} and text_of(event.get("message")):
            turn = self._turn(f"{self._stem}:{number}", "system", time)
            turn.flags = Flag.SYNTHETIC | Flag.ERROR
            turn.parts.append(Part(f"{turn.id}:0", "text", error=text_of(event.get("message"))))

    def _used(self, info: Record) -> None:
        """Add the token counts of the last answer; a record that repeats counts already added is ignored."""
        total = info.get("total_token_usage")
        if total != self._kept["total"] and not account(self._turns, mapping(info.get("last_token_usage"))):
            self._changes_what_was_read()
        self._kept["total"] = total

    def _ran(self, call_id: str, report: Record) -> None:
        """Add to the tool call `call_id` what an event reports about it and its recorded output may lack: the full
        output, that it failed, and the files that it touched.
        """
        output = text_of(report.get("aggregated_output"))
        failed = report.get("status") in {"failed", "declined"} or report.get("success") is False
        found = touched(report)
        call = self._calls.get(call_id)
        if call is None:
            if output or failed or found:
                self._changes_what_was_read()
            return
        if output:
            self._fuller[call_id] = output
        if failed:
            self._failed.add(call_id)
        if found:
            turn, at = call
            files = tuple(dict.fromkeys([*turn.parts[at].files, *found]))
            turn.parts[at] = replace(turn.parts[at], files=files)

    def _compacted(self, number: int, record: Record, time: int) -> None:
        self._changes_what_was_read()
        summary = compact(self._turns, record)
        turn = self._turn(f"{self._stem}:{number}", "system", time)
        turn.flags = Flag.SUMMARY if summary else Flag.SYNTHETIC
        turn.parts.append(Part(f"{turn.id}:0", "compaction", summary))

    def _changes_what_was_read(self) -> None:
        if self._continues:
            raise StaleResumePointError

    # --- the session -------------------------------------------------------------------------------

    def session(self, source: str, title: str | None, flags: Flag) -> Session | None:
        """Return the session with the messages that were added; None when there are none, unless an earlier reading is
        continued. `title` is the session's name in Codex's index, if any.
        """
        kept = self._kept
        messages = [turn.message(kept["agent"]) for turn in self._turns if turn.parts]
        if not messages and not self._continues:
            return None
        return Session(
            kept["id"] or self._stem[-36:],
            tuple(messages),
            title or kept["name"] or title_from(kept["words"]),
            kept["cwd"],
            kept["cwd"],
            None,
            kept["created"],
            kept["updated"],
            kept["parent"],
            source,
            AGENT,
            flags | Flag.SUBAGENT if kept["subagent"] else flags,
            forked_from=kept["forked"],
            repository=remote_name(kept["url"]),
        )

    def state(self) -> dict[str, Any]:
        """Return, as JSON values, what a later reading of the grown file needs as `before` to continue this one."""
        return self._kept

    def warnings(self) -> list[str]:
        return list(self.unknown)
