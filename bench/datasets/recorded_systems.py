"""Calls that were recorded from other systems, with the sessions that each asks for and those that the system found."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bench.datasets.system_labels import wanted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

RECORDED: Final = "conformance/other-systems"


@dataclass(frozen=True, slots=True)
class System:
    """Recordings of a system: its files, how its hits name their session, and which of our searches is beside it."""

    name: str
    files: Mapping[str, str]  # generation -> file
    session: str  # the field of a hit
    names: str = ""  # a file that maps the names of sessions to their ids in the store
    store: str = ""  # the store that we search, where it is not the one that was recorded
    turns: bool = False  # ours is the search of session_recall, else that of session_search


SYSTEMS: Final = (
    System("praisonai", {"g1": "praisonai-g1.json", "g3": "praisonai-g3.json"}, "session_id"),
    System("memo-agent", {"": "memo-agent.json"}, "session", "stores/memo-agent/manifest.json"),
    System(  # tallow finds nothing in the folders that it writes today: its calls were recorded over one flat folder
        "tallow", {"": "tallow.json"}, "session", "stores/tallow/manifest.json", "stores/tallow/home", turns=True
    ),
)


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call: the sessions that answer it, none without a label, and those that the system found, the best first."""

    query: str
    filters: Mapping[str, Any]
    wanted: Collection[str]
    theirs: Sequence[str]
    failed: bool  # the system raised an error


@dataclass(frozen=True, slots=True)
class Recording:
    """The calls of one file, the store that they were recorded on, and the names of its sessions by id."""

    name: str
    store: str
    names: Mapping[str, str]
    content: Mapping[str, Any]
    system: System

    def calls(self, sessions: Collection[str]) -> list[RecordedCall]:
        """Return the calls; `sessions` are the ids of the store."""
        known = {self.names.get(session, session) for session in sessions}
        return [self._call(call, known) for kind in ("search", "filters") for call in self.content.get(kind, ())]

    def _call(self, call: Mapping[str, Any], known: Collection[str]) -> RecordedCall:
        options = dict(call.get("options", {}))
        limit = call.get("limit", options.pop("limit", None))
        text = f"{call['query']} {json.dumps(options, sort_keys=True)}" if options else call["query"]
        sessions = wanted(self.system.name, text, known) if limit is None or limit > 0 else ()
        theirs = list(dict.fromkeys(hit[self.system.session] for hit in call.get("hits", ())))
        return RecordedCall(call["query"], options, sessions, theirs, "exception" in call)


def recordings(data: Path, system: System) -> Iterator[Recording]:
    """Yield the recordings of a system in the data folder, one for each generation."""
    names: dict[str, str] = {}
    if system.names:
        listed = json.loads((data / system.names).read_text(encoding="utf-8"))
        pairs = listed.items() if type(listed) is dict else ((each["key"], each["id"]) for each in listed)
        names = {key: name for name, key in pairs}
    for generation, file in system.files.items():
        content = json.loads((data / RECORDED / file).read_text(encoding="utf-8"))
        name = " ".join(filter(None, (system.name, generation)))
        yield Recording(name, system.store or content["store"], names, content, system)
