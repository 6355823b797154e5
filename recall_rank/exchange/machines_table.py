"""The table of an index to which several machines push: which segments are whose, and which sessions are forgotten.

It holds names of machines, hashes and row numbers, and no text of a session.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from recall_rank.index.storage.table_file import DEAD, TableFile, dead_section
from recall_rank.model.record_classes import frozen

MACHINES: Final = "machines"  # the name of the section
VERSION: Final = 1
_DIGEST: Final = re.compile(r"[0-9a-f]{32}")


@frozen
class SegmentNote:
    """A segment as the table has it, beside its file.

    `content` is the hash of the header of the file from which it was pushed, "" when another machine has rewritten the
    segment since. `dead` are the sessions in it that its own machine has deleted or written anew, by row number.
    """

    content: str
    dead: frozenset[int] = frozenset()


@frozen
class MachineEntry:
    """A machine that pushes: its name, the time of its last push in ms since 1970, the digests of the sessions that
    were forgotten there, and its segments, in the order of the manifest.
    """

    host: str
    user: str
    pushed: int
    forgotten: frozenset[str]
    segments: tuple[SegmentNote, ...]


def table_sections(machines: Sequence[MachineEntry], dead: Sequence[frozenset[int]]) -> dict[str, bytes]:
    """Return the sections of the table file; `dead` are the rows of all segments that no search finds."""
    entries = [
        {
            "host": each.host,
            "user": each.user,
            "pushed": each.pushed,
            "forgotten": sorted(each.forgotten),
            "segments": [{"content": one.content, "dead": sorted(one.dead)} for one in each.segments],
        }
        for each in machines
    ]
    return {DEAD: dead_section(dead), MACHINES: orjson.dumps({"version": VERSION, "machines": entries})}


def read_machines(table: TableFile) -> list[MachineEntry]:
    """Return the machines of a table file. Raises DamagedIndexError for a section that has another form."""
    try:
        return _entries(orjson.loads(bytes(table.section(MACHINES))))
    except (ValueError, TypeError, KeyError) as error:
        raise table.damaged(f"its list of machines cannot be read: {error}") from error


def _entries(told: Mapping[str, Any]) -> list[MachineEntry]:
    if told["version"] != VERSION:
        raise ValueError(f"its version is {told['version']!r}")
    return [_entry(each) for each in told["machines"]]


def _entry(told: Mapping[str, Any]) -> MachineEntry:
    forgotten = frozenset(map(str, told["forgotten"]))
    if not all(map(_DIGEST.fullmatch, forgotten)):
        raise ValueError("a forgotten session is no digest")
    notes = tuple(SegmentNote(str(one["content"]), frozenset(map(int, one["dead"]))) for one in told["segments"])
    return MachineEntry(str(told["host"]), str(told["user"]), int(told["pushed"]), forgotten, notes)
