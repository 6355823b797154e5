"""Find by metadata alone the units (files or sessions of a database) that changed since the last refresh, and read
them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import xxhash

from recall_rank.histories.records.left_out import conceal, is_unnamed, unnamed_location, unnamed_unit
from recall_rank.histories.records.table import SourceEntry, Table, UnitEntry
from recall_rank.loaders.malformed import bounded_malformed, bounded_warnings
from recall_rank.loaders.read_all import LoadedSource, failure_reason, list_units, located_sessions, stored_bytes
from recall_rank.model import BaseSource, Session, Source, Unit, Unread


@dataclass(slots=True)
class SourceScan:
    """The units of a source and the keys of those that changed; no session has been read."""

    source: BaseSource
    entry: SourceEntry  # with units that have no sessions yet
    changed: list[str] = field(default_factory=list)  # keys of units that are new or not what they were


def scan_sources(sources: Iterable[BaseSource], before: Table) -> list[SourceScan]:
    """List the units of every source and compare their signatures with those in `before`, the table of the last refresh
    (its record of sources, units and sessions). Its sessions are not needed.
    """
    known = {entry.key: entry for entry in before.sources}
    hidden = any(map(is_unnamed, before.sources))
    return [
        _look(
            source,
            known.get((source.name, source.location))
            or (known.get((source.name, unnamed_location(source))) if hidden else None),
        )
        for source in sources
    ]


def _look(source: BaseSource, before: SourceEntry | None) -> SourceScan:
    loaded = LoadedSource(source)
    with loaded.opened():
        units = list_units(loaded)
        signatures = {unit.key: signature_digest(source, unit) for unit in units}
    size = stored_bytes(loaded, units)
    known = {} if before is None else before.units
    hidden = any(is_unnamed(old.unit) for old in known.values())
    reasons = [failure.reason for failure in loaded.failures]
    entry = SourceEntry(source.name, source.location, False, source.copy_group, size, reasons, loaded.warnings)
    found = SourceScan(source, entry)
    for unit in units:
        signature = signatures[unit.key]
        old = known.get(unit.key)
        if old is None and hidden:
            nameless = unnamed_unit(source, unit)
            old = known.get(nameless.key)
            if old is not None and signature and old.signature == signature:
                entry.units[nameless.key] = old
                continue
        entry.units[unit.key] = UnitEntry(unit, signature, is_left_out=old is not None and is_unnamed(old.unit))
        if old is None or not signature or old.signature != signature or old.unit != unit or old.error:
            found.changed.append(unit.key)
    conceal(entry)
    if not units and before is not None and is_unnamed(before):
        entry.location = before.location  # it cannot be listed now: that is told without its place
    return found


def unchanged(looks: Sequence[SourceScan], before: Table) -> bool:
    """Return whether a scan found the sources, units, errors and warnings that `before`, the table of the last refresh,
    has. Sizes are not compared: a database's log can grow without a new message.
    """
    known = [source for source in before.sources if not source.gone]
    return len(looks) == len(known) and all(
        not scan.changed
        and (scan.entry.key, scan.entry.errors, scan.entry.warnings, list(scan.entry.units))
        == (old.key, old.errors, old.warnings, list(old.units))
        for scan, old in zip(looks, known, strict=True)
    )


def unread(looks: Sequence[SourceScan], before: Table) -> Unread:
    """Return how much a scan found to be read: the changed units, and the bytes by which the sources with some grew
    since `before`, the table of the last refresh.
    """
    sizes = {source.key: source.size for source in before.sources}
    changed = [scan for scan in looks if scan.changed]
    grown = sum(max(0, scan.entry.size - sizes.get(scan.entry.key, 0)) for scan in changed)
    return Unread(sum(len(scan.changed) for scan in changed), grown)


def bytes_to_read(looks: Sequence[SourceScan]) -> float:
    """Return about how many bytes the changed units have: those of their files; of a database, an equal share for each
    of its sessions.
    """
    found = 0.0
    for scan in looks:
        sharing = Counter(entry.unit.location for entry in scan.entry.units.values())
        for key in scan.changed:
            location = scan.entry.units[key].unit.location
            with suppress(OSError, ValueError):  # reading the unit reports the error
                found += Path(location).stat().st_size / sharing[location]
    return found


def read(source: BaseSource, entry: UnitEntry) -> list[Session]:
    """Read a unit and return its sessions. Its error, malformed records, warnings and resume point are written to
    `entry`, its entry in the table of the refresh, and so is whether all of its sessions are ignored or forgotten.
    """
    entry.error, entry.resume = None, None
    try:
        reading = source.read(entry.unit)
        sessions = located_sessions(reading, entry.unit)
        entry.malformed, entry.warnings = bounded_malformed(reading.malformed), bounded_warnings(reading.warnings)
    except Exception as error:  # noqa: BLE001 - a source that fails, however, must not hide the others
        entry.error = failure_reason(error)
        entry.malformed, entry.warnings = [], []
        return []
    entry.resume = reading.resume
    entry.is_left_out = not reading.sessions and (entry.is_left_out or reading.left_out > 0)
    return sessions


def signature_digest(source: Source, unit: Unit) -> bytes:
    """Return a digest of the unit's signature, in which a loader may have put titles and other text; empty when the
    unit has no signature or when asking for it fails.
    """
    try:
        signature = source.signature(unit)
    except Exception:  # noqa: BLE001 - reading says why
        return b""
    return xxhash.xxh3_128_hexdigest(signature).encode() if signature else b""
