"""Strings coded by the prefix that each shares with the string of its owner."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise


def cut_up(data: bytes, starts: Sequence[int]) -> list[bytes]:
    if not starts or list(starts) != sorted(starts) or starts[-1] > len(data):
        raise ValueError("starts")
    return [data[first:last] for first, last in pairwise(starts)]


def end_to_end(some: Iterable[bytes]) -> tuple[bytes, list[int]]:
    data, starts = b"", [0]
    for one in some:
        data += one
        starts.append(len(data))
    return data, starts


def in_common(one: bytes, other: bytes) -> int:
    size = 0
    while size < min(len(one), len(other)) and one[size] == other[size]:
        size += 1
    return size


def encode_ids(
    names: bytes, starts: Sequence[int], holder: Sequence[int], holders: bytes, holder_starts: Sequence[int]
) -> tuple[bytes, list[int]]:
    those, all_holders = cut_up(names, starts), cut_up(holders, holder_starts)
    if len(those) != len(holder) or any(number >= len(all_holders) for number in holder):
        raise ValueError("fit")
    common = [min(255, in_common(name, all_holders[n])) for name, n in zip(those, holder, strict=True)]
    return end_to_end(bytes([same]) + name[same:] for name, same in zip(those, common, strict=True))


def decode_ids(
    records: bytes,
    starts: Sequence[int],
    holder: Sequence[int],
    first: int,
    holders: bytes,
    holder_starts: Sequence[int],
) -> tuple[bytes, list[int]]:
    those, all_holders = cut_up(records, starts), cut_up(holders, holder_starts)
    if len(those) != len(holder) or any(not 0 <= number - first < len(all_holders) for number in holder):
        raise ValueError("fit")
    pairs = [(record, all_holders[number - first]) for record, number in zip(those, holder, strict=True)]
    if any(not record or record[0] > len(name) for record, name in pairs):
        raise ValueError("record")
    return end_to_end(name[: record[0]] + record[1:] for record, name in pairs)
