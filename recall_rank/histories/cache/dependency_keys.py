"""Hashed ids by which sessions depend on each other: ids of sessions, of messages and of records.

A copied message counts once, a subagent takes its directory from its parent, and a session found twice counts where it
has most messages. A change of one session can therefore change another one, and only sessions that share an id are
resolved again. A key is a 64-bit number: the upper 40 bits are the hash of an id, the lower 24 bits are the serial
number of the session that has it. A collision of hashes costs time and changes no result.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Iterable, Iterator

import xxhash

from recall_rank.index.segment.strings import utf8
from recall_rank.model import BaseSource, Session

SERIALS = 1 << 24
FEW = 500  # up to this many new keys are inserted singly
_SERIAL = SERIALS - 1
_HASH = ((1 << 64) - 1) ^ _SERIAL


def dependency_keys(
    source: BaseSource, session: Session, related_ids: Callable[[Session], Iterable[str | None]]
) -> set[int]:
    """Return the hashes of all ids that other sessions can share with this session: its own id and, when its source
    resolves copies, related_ids(session) and those of its messages and records. A hash is a 64-bit number whose low
    24 bits, the room for a session's serial number, are zero. Raises what related_ids() raises.
    """
    found = {f"s{session.id}"}
    if source.resolves:
        found.update(f"s{other}" for other in related_ids(session) if other)
        for message in session.messages:
            found.add(f"m{message.id}")
            found.update(f"p{part.id.rpartition(':')[0] or part.id}" for part in message.parts)
    return {xxhash.xxh3_64_intdigest(utf8(name)) & _HASH for name in found}


def serials_of(keys: array[int], wanted: Iterable[int]) -> Iterator[int]:
    """Yield the serial numbers of the sessions that have one of the hashes `wanted`, from the low 24 bits of the
    sorted `keys`. Deleted sessions may be among them.
    """
    for link in wanted:
        at = bisect_left(keys, link)
        while at < len(keys) and keys[at] & _HASH == link:
            yield keys[at] & _SERIAL
            at += 1


def joined(keys: array[int], added: Iterable[int], serials: Collection[int] | None) -> array[int]:
    """Return the sorted union of the dependency keys `keys` and `added`. With `serials`, only keys of sessions with
    these serial numbers are returned; without, keys of deleted sessions stay, which does no harm.
    """
    fresh = [key for key in set(added) if not _holds(keys, key)]
    if serials is None and len(fresh) < FEW:
        both = keys[:]
        for key in fresh:
            insort(both, key)
        return both
    every = array("Q", sorted([*keys, *fresh]))
    return every if serials is None else of_serials(every, serials)


def of_serials(keys: array[int], serials: Collection[int]) -> array[int]:
    """Return the dependency keys of the sessions with these serial numbers."""
    return array("Q", (key for key in keys if key & _SERIAL in serials))


def _holds(keys: array[int], key: int) -> bool:
    at = bisect_left(keys, key)
    return at < len(keys) and keys[at] == key
