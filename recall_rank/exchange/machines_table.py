"""The table of an index to which several machines push: which segments are whose, and which sessions are forgotten.

It holds names of machines and objects, hashes and row numbers, and no text of a session.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from recall_rank.exchange.outgoing import MachineName
from recall_rank.index.storage.folder import LISTED_FILE_NAME
from recall_rank.index.storage.table_file import DEAD, TableFile, dead_section
from recall_rank.model.option_errors import error_text
from recall_rank.model.record_classes import frozen

MACHINES: Final = "machines"  # the name of the section
VERSION: Final = 1
LARGEST: Final = 2**53 - 1  # a time in ms, or a number of a row
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
    were forgotten there, its segments, in the order of the manifest, and pairs of digests: of a session that was
    forgotten there, and of a copy of it that the index had.
    """

    host: str
    user: str
    pushed: int
    forgotten: frozenset[str]
    segments: tuple[SegmentNote, ...]
    copies: frozenset[tuple[str, str]] = frozenset()


@frozen
class MachinesTable:
    """The content of the table: the machines that push, and the names of objects that were replaced.

    These are of former generations, and of no later one. They may still be there, if the writer that replaced them was
    killed or the store refused to delete them.
    """

    machines: tuple[MachineEntry, ...]
    replaced: frozenset[str] = frozenset()


def table_sections(table: MachinesTable, dead: Sequence[frozenset[int]]) -> dict[str, bytes]:
    """Return the sections of the table file; `dead` are the rows of all segments that no search finds."""
    entries = [
        {
            "host": each.host,
            "user": each.user,
            "pushed": each.pushed,
            "forgotten": sorted(each.forgotten),
            "segments": [{"content": one.content, "dead": sorted(one.dead)} for one in each.segments],
            "copies": sorted(each.copies),
        }
        for each in table.machines
    ]
    told = {"version": VERSION, "machines": entries, "replaced": sorted(table.replaced)}
    return {DEAD: dead_section(dead), MACHINES: orjson.dumps(told)}


def read_machines(file: TableFile) -> MachinesTable:
    """Return the content of a table file. Raises DamagedIndexError for a section that has another form."""
    data = bytes(file.section(MACHINES))
    try:
        return _table(orjson.loads(data))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise file.damaged(f"its list of machines cannot be read: {error_text(error)}") from error


def _table(told: Mapping[str, Any]) -> MachinesTable:
    if told["version"] != VERSION:
        raise ValueError(f"its version is {told['version']!r}")
    machines = tuple(map(_entry, told["machines"]))
    if len({(each.host, each.user) for each in machines}) < len(machines):
        raise ValueError("a machine is there twice")
    return MachinesTable(machines, _strings(told.get("replaced", []), LISTED_FILE_NAME, "a replaced object"))


def _entry(told: Mapping[str, Any]) -> MachineEntry:
    name = MachineName(told["host"], told["user"])
    forgotten = _strings(told["forgotten"], _DIGEST, "a forgotten session")
    notes = tuple(SegmentNote(str(one["content"]), frozenset(map(_number, one["dead"]))) for one in told["segments"])
    copies = frozenset((one, copy) for one, copy in told.get("copies", []))
    _strings([digest for pair in copies for digest in pair], _DIGEST, "a copy of a forgotten session")
    return MachineEntry(name.host, name.user, _number(told["pushed"]), forgotten, notes, copies)


def _strings(told: Sequence[Any], form: re.Pattern[str], what: str) -> frozenset[str]:
    """Return strings of one form. Raises ValueError for another, and TypeError for what is no string."""
    if not all(map(form.fullmatch, told)):
        raise ValueError(f"{what} has another form")
    return frozenset(told)


def _number(told: object) -> int:
    if not isinstance(told, int) or isinstance(told, bool) or not 0 <= told <= LARGEST:
        raise ValueError(f"{told!r:.50} is no number of a row, and no time")
    return told
