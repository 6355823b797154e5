"""Encode the table of a refresh (its record of sources, units and sessions) as sections of JSON; opening an index
for a search reads only the small first section.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, fields
from operator import attrgetter
from typing import Any, Final, TypeVar

from recall_rank.histories.records.left_out import is_unnamed
from recall_rank.histories.records.table import SessionEntry, SessionLocation, SourceEntry, Table, UnitEntry
from recall_rank.index.errors import DamagedIndexError, IndexFormatError
from recall_rank.index.storage.table_file import DEAD, TableFile, dead_section
from recall_rank.model import Flag, Malformed, Notice, ReadFailure, Session, SourceReport, Tokens, Unit

HEAD: Final = "head"  # the section that a search reads
UNITS: Final = "units"  # the section that shows whether a unit changed
SESSIONS: Final = "sessions"  # the section that a refresh and a list of sessions read
KEYS: Final = "keys"
_SMALL: Final = 100_000  # bytes that json decodes faster than orjson is imported
_SESSION: Final = tuple(each.name for each in fields(Session) if each.name != "messages")
_VALUES: Final = attrgetter(*_SESSION)
_TOKENS: Final = _SESSION.index("tokens")
_REPORT: Final = tuple(each.name for each in fields(SourceReport))
_Kind = TypeVar("_Kind")


def sections(
    table: Table, dead: Sequence[frozenset[int]], reports: Sequence[SourceReport]
) -> dict[str, bytes]:  # fmt: skip
    """Return a mapping from section name to the bytes of that section of the file in which the table of a refresh is
    stored. dead[k] has the row numbers of the deleted sessions of segment k.
    """
    missing = [[held.session.source, held.session.id] for source in table.sources for held in source.kept]
    head = {
        "session": _SESSION,
        "report": _REPORT,
        "reports": [[_plain(getattr(report, name)) for name in _REPORT] for report in reports],
        "missing": missing,
        "rules": table.rules,
        "keeping": table.keeping,
    }
    units = [
        [
            source.name,
            source.location,
            source.gone,
            source.copy_group,
            source.size,
            source.errors,
            source.warnings,
            [[each.unit.key, each.unit.location, _text(each.signature), each.error] for each in source.units.values()],
        ]
        for source in table.sources
    ]
    sessions = [
        [
            [
                [
                    [astuple(bad) for bad in each.malformed],
                    each.warnings,
                    None if each.resume is None else _text(each.resume),
                    [_held(held) for held in each.sessions],
                ]
                for each in source.units.values()
            ],
            [[group, [astuple(notice) for notice in notices]] for group, notices in source.notices.items()],
            [_held(held) for held in source.kept],
        ]
        for source in table.sources
    ]
    return {
        DEAD: dead_section(dead),
        HEAD: _packed(head),
        UNITS: _packed(units),
        SESSIONS: _packed([table.serial, sessions]),
        KEYS: table.keys.tobytes(),
    }


class StoredTable:
    """The table of a refresh (its record of sources, units and sessions) on disk; each section is read when it is
    first needed.

    Every method raises DamagedIndexError when a section cannot be decoded.
    """

    __slots__ = ("_file", "_head")

    def __init__(self, file: TableFile) -> None:
        """Open the table in `file` and read its first section. Raises IndexFormatError when another version wrote
        the table.
        """
        self._file = file
        self._head: Mapping[str, Any] = self._json(HEAD)
        if (self._head.get("session"), self._head.get("report")) != ([*_SESSION], [*_REPORT]):
            raise IndexFormatError(f"{file.name}: written by another version; build the index again")

    @property
    def rules(self) -> str:
        return str(self._head.get("rules"))

    @property
    def keeping(self) -> bool:
        return bool(self._head.get("keeping"))

    def reports(self) -> list[SourceReport]:
        """Return one report for each source of the table."""

        def read() -> list[SourceReport]:
            return [_report(dict(zip(_REPORT, values, strict=True))) for values in self._head["reports"]]

        return self._checked(read)

    def missing(self) -> frozenset[tuple[str | None, str]]:
        """Return (source, id) of each session that the index keeps although its source no longer has it."""
        return self._checked(lambda: frozenset((source, key) for source, key in self._head["missing"]))

    def units(self) -> Table:
        """Return the table with its sources and units but without sessions."""

        def read() -> Table:
            sources = []
            for *values, units in self._json(UNITS):
                source = SourceEntry(*values)
                for key, location, signature, error in units:
                    unit = Unit(key, location)
                    source.units[key] = UnitEntry(unit, _bytes(signature), error, is_left_out=is_unnamed(unit))
                sources.append(source)
            return Table(sources, rules=self.rules, keeping=self.keeping)

        return self._checked(read)

    def table(self) -> Table:
        """Return the whole table, with its sessions."""

        def read() -> Table:
            table = self.units()
            table.serial, sources = self._json(SESSIONS)
            for source, (units, notices, kept) in zip(table.sources, sources, strict=True):
                for entry, (malformed, warnings, resume, held) in zip(source.units.values(), units, strict=True):
                    entry.malformed = [Malformed(*bad) for bad in malformed]
                    entry.warnings = warnings
                    entry.resume = None if resume is None else _bytes(resume)
                    entry.sessions = [_unheld(each) for each in held]
                source.notices = {group: [Notice(*values) for values in each] for group, each in notices}
                source.kept = [_unheld(each) for each in kept]
            table.keys.frombytes(self._file.section(KEYS))
            return table

        return self._checked(read)

    def _json(self, label: str) -> Any:
        data = self._file.section(label)
        try:
            if len(data) < _SMALL or bytes(data[:1]) != b"o":
                return json.loads(bytes(data[1:]))
            import orjson

            return orjson.loads(data[1:])
        except ValueError as error:
            raise self._file.damaged(f"section {label} cannot be read") from error

    def _checked(self, read: Callable[[], _Kind]) -> _Kind:
        try:
            return read()
        except DamagedIndexError:
            raise
        except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
            raise self._file.damaged("it does not hold what a table does") from error


def _packed(value: Any) -> bytes:
    import orjson

    try:
        return b"o" + orjson.dumps(value)
    except TypeError:  # lone surrogates, or numbers above 64 bits, which a store may have
        return b"j" + json.dumps(value).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return list(astuple(value)) if isinstance(value, (Malformed, ReadFailure, Tokens)) else value


def _held(held: SessionEntry) -> list[Any]:
    session = list(_VALUES(held.session))
    session[_TOKENS] = _plain(session[_TOKENS])  # the others are plain as they are
    return [
        session,
        held.serial,
        held.group,
        held.messages,
        held.parts,
        held.newest,
        None if held.place is None else [*held.place],
    ]


def _unheld(values: Sequence[Any]) -> SessionEntry:
    session, serial, group, messages, parts, newest, place = values
    given = dict(zip(_SESSION, session, strict=True))
    given["flags"] = Flag(given["flags"])
    given["places"] = tuple(given["places"])
    given["tokens"] = Tokens(*given["tokens"]) if given["tokens"] else None
    return SessionEntry(
        Session(**given), serial, group, messages, parts, newest, SessionLocation(*place) if place else None
    )


def _report(given: dict[str, Any]) -> SourceReport:
    records = {
        "malformed": tuple(Malformed(*values) for values in given["malformed"]),
        "failures": tuple(ReadFailure(*values) for values in given["failures"]),
        "warnings": tuple(given["warnings"]),
    }
    return SourceReport(**given | records)


def _text(data: bytes) -> str:
    return data.decode("latin-1")


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")
