"""Which sessions may bear on each other: those that share the id of a session, of a message or of a record.

A copied message counts once, a subagent takes its directory from its parent, and a session found twice counts where
most of it is. So a change of one session can change what counts of another; only these are looked at again. A key is
40 bits of a hash and the 24 of the session's serial; two ids of one hash cost time and nothing else.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator

import xxhash

from recall_rank.index.segment.strings import utf8
from recall_rank.model import BaseSource, Session

SERIALS = 1 << 24
FEW = 500  # keys that are put in one by one
_SERIAL = SERIALS - 1
_HASH = ((1 << 64) - 1) ^ _SERIAL


def dependency_keys(source: BaseSource, session: Session) -> set[int]:
    """The hashes by which a session as its unit gave it is linked to others, their low 24 bits empty."""
    found = {f"s{session.id}"}
    if source.resolves:
        found.update(f"s{other}" for other in source.related_ids(session) if other)
        for message in session.messages:
            found.add(f"m{message.id}")
            found.update(f"p{part.id.rpartition(':')[0] or part.id}" for part in message.parts)
    return {xxhash.xxh3_64_intdigest(utf8(name)) & _HASH for name in found}


def serials_of(keys: array[int], wanted: Iterable[int]) -> Iterator[int]:
    """The serials that stand behind the hashes `wanted` in the sorted `keys`; some may be of sessions long gone."""
    for link in wanted:
        at = bisect_left(keys, link)
        while at < len(keys) and keys[at] & _HASH == link:
            yield keys[at] & _SERIAL
            at += 1


def joined(keys: array[int], added: Iterable[int], serials: Collection[int] | None) -> array[int]:
    """All keys, sorted, and where `serials` are given only theirs. Those of sessions that are gone are harmless."""
    fresh = [key for key in set(added) if not _holds(keys, key)]
    if serials is None and len(fresh) < FEW:
        both = keys[:]
        for key in fresh:
            insort(both, key)
        return both
    every = sorted([*keys, *fresh])
    return array("Q", every if serials is None else [key for key in every if key & _SERIAL in serials])


def _holds(keys: array[int], key: int) -> bool:
    at = bisect_left(keys, key)
    return at < len(keys) and keys[at] == key
