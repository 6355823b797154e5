"""A corpus of the conformance cases as a source: one unit for each session, with the faults that a case asks for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from copy import copy
from pathlib import Path
from typing import Any

from recall_rank._core.text.fields import string_values
from recall_rank.model import Flag, Message, Part, Reading, Session, Unit

Json = Mapping[str, Any]


class Corpus:
    """The sessions of a file, in the order in which its host lists them."""

    name = "conformance"

    def __init__(self, content: Json, faults: Json | None = None) -> None:
        self.location = "conformance"
        self.now: int = content["now"]
        self.current: dict[str, str] = dict(content.get("current") or {})
        self._faults = faults or {}
        projects = {project["id"]: project for project in content.get("projects", ())}
        listed = _in_list_order(content["sessions"], content.get("list_order"))
        self._sessions = {raw["id"]: _session(raw, projects, self._faults) for raw in listed}
        self._again = False

    @classmethod
    def read_file(cls, path: Path, faults: Json | None = None) -> Corpus:
        return cls(json.loads(path.read_text(encoding="utf-8")), faults)

    def split(self) -> list[Corpus]:
        """Return the sources of the corpus: two where only the list of all projects fails, else one."""
        error = self._faults.get("global_list_error")
        if not error:
            return [self]
        own, others = copy(self), copy(self)
        here = self.current.get("project")
        own._sessions = {key: each for key, each in self._sessions.items() if each.project == here}
        others._faults = {"list_error": error}
        return [own, others]

    def units(self) -> Iterable[Unit]:
        for kind in ("project_list_error", "list_error"):
            if self._faults.get(kind):
                raise OSError(str(self._faults[kind]))
        return [Unit(name, name) for name in self._sessions]

    def signature(self, unit: Unit) -> bytes:
        return unit.key.encode()

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        if unit.key in self._faults.get("message_throws", ()):
            raise OSError("load blew up")
        if unit.key in self._faults.get("no_message_data", ()):
            raise OSError("no messages returned")
        return Reading([self._sessions[unit.key]])


def _in_list_order(sessions: list[Json], order: object) -> list[Json]:
    """Return the sessions newest first, or in the order in which the host lists them; times are set to follow that
    order.
    """
    newest_first = sorted(sessions, key=lambda raw: -raw["updated"])
    if not order or order in ("newest", "newest_first", "updated"):
        return newest_first
    if not isinstance(order, list):
        order = [raw["id"] for raw in (newest_first[::-1] if "old" in str(order) else sessions)]
    named = {raw["id"]: raw for raw in sessions}
    listed = [named[key] for key in order if key in named] + [raw for raw in newest_first if raw["id"] not in order]
    times = sorted((raw["updated"] for raw in listed), reverse=True)
    return [{**raw, "updated": time} for raw, time in zip(listed, times, strict=True)]


def _session(raw: Json, projects: Mapping[str, Json], faults: Json) -> Session:
    missing = raw["id"] in faults.get("get_throws", ())
    gone = {key.partition(":")[2] for key in faults.get("no_single_message", ()) if key.startswith(f"{raw['id']}:")}
    said = sorted([*raw["messages"], *_filled(raw.get("fill"))], key=lambda message: message["time"])
    return Session(
        raw["id"],
        tuple(_message(message) for message in said if message["id"] not in gone),
        None if missing else raw["title"],
        None if missing else raw["directory"],
        raw["project"],
        projects.get(raw["project"], {}).get("worktree"),
        raw.get("created", raw["updated"] - 1000),
        raw["updated"],
        source="conformance",
        flags=Flag.ARCHIVED if raw.get("archived") else Flag.NONE,
    )


def _filled(fill: Json | list[Json] | None) -> Iterable[Json]:
    """Return the messages that a corpus describes by a rule instead of listing them."""
    for each in fill if isinstance(fill, list) else [fill] if fill else []:
        for i in range(each["count"]):
            key = f"{each['prefix']}{i}"
            text = each["text"].replace("{i}", str(i))
            time = each["first_time"] + i * each["step_ms"]
            part = {"id": f"{key}p", "type": "text", "text": text}
            yield {"id": key, "role": each.get("role", "assistant"), "time": time, "parts": [part]}


def _message(raw: Json) -> Message:
    parts = tuple(map(_part, raw["parts"]))
    return Message(raw["id"], raw["role"], raw["time"], parts, agent="build", model=f"model-{raw['role']}")


def _part(raw: Json) -> Part:
    """Return the part that the host's loader makes; text that only a full view shows goes into a field that is not
    searched.
    """
    kind = raw["type"]
    if kind == "tool":
        return _tool(raw)
    if kind == "subtask":
        return Part(raw["id"], kind, raw.get("description"), prompt=raw.get("prompt"))
    if kind in ("text", "reasoning"):
        return Part(raw["id"], kind, raw.get("text"))
    files = raw.get("files") or [name for name in (raw.get("filename") or raw.get("url"),) if name]
    about = next((raw[key] for key in ("reason", "snapshot", "name", "attempt") if raw.get(key)), None)
    if kind == "compaction":
        about = "auto" if raw.get("auto") else None
    return Part(
        raw["id"], kind, error=raw.get("error"), files=tuple(files), status=None if about is None else str(about)
    )


def _tool(raw: Json) -> Part:
    status = raw.get("status")
    done = status == "completed"
    given = raw.get("input")
    return Part(
        raw["id"],
        "tool",
        tool=raw["tool"],
        input=given,
        output=raw.get("output") if done else None,
        error=raw.get("error") if status == "error" else None,
        title=raw.get("title") if done else None,
        status=status,
        flags=(Flag.PRUNED if raw.get("compacted") else Flag.NONE) | (Flag.ERROR if status == "error" else Flag.NONE),
        files=tuple(text for text in string_values(given) if "/" in text)[:8],
    )
