"""Choose which segments to merge, so that few remain and each text is copied a logarithmic number of times."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def to_merge(sizes: Sequence[int], worn: Collection[int], most: int, added: int = 0) -> list[int]:
    """Return the indices in `sizes`, the messages of the segments of an index, of those to merge into one segment.

    They are those in `worn`, which must be rewritten, the smallest others until at most `most` segments remain, and
    each next larger one that is not larger than those together. `added` is the number of messages that a new segment
    brings to the merge, 0 for no new segment.
    """
    chosen = set(worn)
    rest = sorted((at for at in range(len(sizes)) if at not in chosen), key=sizes.__getitem__)
    total = added
    while rest and (len(rest) + bool(chosen or added) > most or (len(chosen) > 1 and sizes[rest[0]] <= total)):
        total += sizes[rest[0]]
        chosen.add(rest.pop(0))
    return sorted(chosen)
