"""A file with the output of `opencode export`: one session as JSON.

Implemented from the source of OpenCode; not checked against a file that a real OpenCode printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from recall_rank.loaders.content.external_outputs import ExternalOutputs
from recall_rank.loaders.content.times import odd_times, with_checked_times
from recall_rank.loaders.content.values import mapping, text_of
from recall_rank.loaders.files.blocks import read_blocks
from recall_rank.loaders.files.regular_files import file_signature, open_file
from recall_rank.loaders.json.document import JsonDocument, read_object_start
from recall_rank.loaders.json.parse import Record
from recall_rank.loaders.malformed import add_malformed
from recall_rank.loaders.opencode.session import AGENT, MESSAGE_TIMES, SESSION_TIMES, session_from
from recall_rank.loaders.store_places import resolve_store
from recall_rank.model import BaseSource, Malformed, Reading, Source, Unit

NAME = "opencode-export"
SUFFIXES = {".json", ".txt", ".log"}
_FIRST_KEY = re.compile(rb'\{\s*"info"\s*:\s*\{')
_SESSION_ID = re.compile(rb'"id"\s*:\s*"ses_')


class OpenCodeExport(BaseSource):
    """A source for one exported session, which is read as one unit."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.name = name or AGENT
        self.location = str(path)
        self._path = resolve_store(path)

    def units(self) -> Iterable[Unit]:
        return [Unit(self._path.name, self.location)]

    def signature(self, unit: Unit) -> bytes:
        return file_signature(self._path)

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        with open_file(self._path, self._path.parent) as file:
            document = JsonDocument(read_blocks(file), self.location, "messages")
            messages: dict[str, Record] = {}
            parts: dict[str, list[tuple[str, Record]]] = {}
            malformed: list[Malformed] = []
            for number, element in with_checked_times(document, *(f"info.{path}" for path in MESSAGE_TIMES)):
                info = element.get("info")
                key = text_of(mapping(info).get("id"))
                if type(info) is not dict or not key:
                    add_malformed(malformed, Malformed(self.location, f"line {number}", "a message without an id"))
                    continue
                messages[key] = info
                parts[key] = self._parts(key, element.get("parts"), number, malformed)
        info = mapping(document.head.get("info"))
        key = text_of(info.get("id"))
        if not key:
            ids = (text_of(message.get("sessionID")) for message in messages.values())
            key = next((each for each in ids if each), self._path.stem)
        add_malformed(
            malformed, *(Malformed(self.location, "line 1", reason) for reason in odd_times(info, *SESSION_TIMES))
        )
        malformed = sorted(document.malformed + malformed, key=lambda bad: int(bad.place.split()[1]))
        if not info and not messages:
            return Reading([], malformed)
        folder = self._path.parent
        outputs = ExternalOutputs(folder, [folder / "tool-output"])
        session = session_from(key, info, messages, parts, outputs, self.name)
        return Reading([session], malformed, outputs.warnings())

    def _parts(
        self, message: str, value: object, number: int, malformed: list[Malformed]
    ) -> list[tuple[str, Record]]:  # fmt: skip
        found: dict[str, Record] = {}
        for index, part in enumerate(value if type(value) is list else ()):
            if type(part) is dict:
                found[text_of(part.get("id")) or f"{message}:{index:04}"] = part
            else:
                add_malformed(malformed, Malformed(self.location, f"line {number}", "a part that is no object"))
        return list(found.items())


def recognise(path: Path) -> Source | None:
    """Return a source for an exported session in a .json file, recognised by its first bytes; None for any other
    file.
    """
    return named(path) if path.suffix == ".json" else None


def named(path: Path) -> Source | None:
    """Return a source for an exported session in a .json, .txt or .log file, recognised by its first bytes; None for
    any other file.
    """
    if path.suffix not in SUFFIXES or not path.is_file():
        return None
    head = read_object_start(path)
    return OpenCodeExport(path) if _FIRST_KEY.match(head) and _SESSION_ID.search(head) else None


def stores(environ: Mapping[str, str], home: Path) -> Iterable[Source]:  # noqa: ARG001
    """Return an empty list: an export can be in any folder, so none is searched for."""
    return ()
