"""Find the groups of sessions, of several readings, that shared ids connect."""

from __future__ import annotations

import base64
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def linked_groups(links: Sequence[str], counts: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the sets of more than one group that share hashed ids, each set ascending, in the order of their firsts.

    links[k] are the ids of the groups of one reading as packed() writes them, and counts[k] how many belong to each of
    its groups. Groups are numbered through all readings. Memory: 40 bytes an id.
    """
    total = sum(map(len, counts))
    every = np.concatenate([_unpacked(text) for text in links] or [np.empty(0, np.uint64)])
    sizes = np.array([count for own in counts for count in own], np.int64)
    owners = np.repeat(np.arange(total, dtype=np.int64), sizes)
    order = np.argsort(every, kind="stable")
    every, owners = every[order], owners[order]
    shared = np.flatnonzero((every[1:] == every[:-1]) & (owners[1:] != owners[:-1]))
    above = list(range(total))

    def top(at: int) -> int:
        while above[at] != at:
            above[at] = above[above[at]]
            at = above[at]
        return at

    for one, two in zip(owners[shared].tolist(), owners[shared + 1].tolist(), strict=True):
        first, second = top(one), top(two)
        above[max(first, second)] = min(first, second)
    found: dict[int, list[int]] = {}
    for at in sorted({*owners[shared].tolist(), *owners[shared + 1].tolist()}):
        found.setdefault(top(at), []).append(at)
    return list(found.values())


def _unpacked(text: str) -> npt.NDArray[np.uint64]:
    return np.frombuffer(base64.b64decode(text), np.uint64)
