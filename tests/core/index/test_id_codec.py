"""Names that begin as the name of what holds them does."""

from __future__ import annotations

from array import array
from random import Random

import pytest
from hypothesis import given

from recall_rank._core.index.id_codec import IdRecords, decode_ids, encode_ids
from tests.reference.index import id_codec as reference
from tests.support.kernels.inputs import seeds


def some_names(chance: Random, holders: list[bytes], holder: list[int]) -> list[bytes]:
    own = [b"", b":0", b".p1", b"x" * 300, b"\xed\xa0\x80", bytes(chance.getrandbits(8) for _ in range(3))]
    return [
        holders[number][: chance.choice([0, 1, 2, 400])] + chance.choice(own) for number in holder
    ]  # fmt: skip


def typed(made: tuple[bytes, list[int]]) -> tuple[bytes, array[int]]:
    return made[0], array("Q", made[1])


def drawn(chance: Random) -> tuple[list[bytes], array[int], list[bytes]]:
    holders = chance.choices(
        [b"", b"ses_1", b"ses_22", "sé".encode(), b"y" * 254, b"y" * 255, b"y" * 256], k=chance.randint(1, 4)
    )
    holder = array("I", sorted(chance.randrange(len(holders)) for _ in range(chance.randrange(6))))
    return holders, holder, some_names(chance, holders, holder.tolist())


@given(seeds)
def test_names_come_back(chance: Random) -> None:
    holders, holder, names = drawn(chance)
    held, (data, starts) = typed(reference.end_to_end(holders)), typed(reference.end_to_end(names))
    records, places = encode_ids(data, starts, holder, *held)
    assert (records, places.tolist()) == reference.encode_ids(data, starts, holder, *held)
    again, ends = decode_ids(records, places, holder, 0, *held)
    assert (again, ends.tolist()) == (data, starts.tolist())
    seen = bytearray(len(records) // 5 + 1)
    reader = IdRecords(records, places, seen, 5)
    for at, name in enumerate(names):
        for block in range(places[at] // 5, (places[at + 1] - 1) // 5 + 1):
            if not seen[block]:
                assert reader.name(at, holders[holder[at]].decode()) is None
            seen[block] = 1
        try:
            whole = name.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            with pytest.raises(UnicodeDecodeError):
                reader.name(at, holders[holder[at]].decode())
        else:
            assert reader.name(at, holders[holder[at]].decode()) == whole
    # a stretch of them, by the holders of the stretch alone
    first = chance.randint(0, len(names))
    low = holder[first] if first < len(names) else 0
    some = typed(reference.end_to_end(holders[low:]))
    again, ends = decode_ids(records, places[first:], holder[first:], low, *some)
    assert reference.cut_up(bytes(again), ends.tolist()) == names[first:]


@given(seeds)
def test_other_columns_are_refused_or_names(chance: Random) -> None:
    holders, holder, names = drawn(chance)
    held, (data, starts) = typed(reference.end_to_end(holders)), typed(reference.end_to_end(names))
    records, places = encode_ids(data, starts, holder, *held)
    columns = [bytearray(records), array("Q", places), holder, bytearray(held[0]), held[1]]
    for _ in range(chance.randrange(3)):
        victim = chance.choice(columns)
        at = chance.randrange(len(victim) + 1)
        match chance.randrange(3):
            case 0:
                victim.insert(at, chance.choice([0, 1, 9, 255]))
            case 1 if at < len(victim):
                del victim[at]
            case 2 if at < len(victim):
                victim[at] = chance.choice([0, 1, 2, 255])
    first = chance.choice([0, 0, 0, 1, -1, 2**40])
    records, places, holder, data, starts = columns
    for native, slow, given_ in (
        (decode_ids, reference.decode_ids, (records, places, holder, first, data, starts)),
        (encode_ids, reference.encode_ids, (records, places, holder, data, starts)),
    ):
        plain = [bytes(one) if isinstance(one, bytearray) else one for one in given_]
        try:
            wanted = slow(*plain)  # type: ignore[operator]
        except ValueError:
            with pytest.raises(ValueError, match="do not fit together"):
                native(*given_)  # type: ignore[operator]
        else:
            made, ends = native(*given_)  # type: ignore[operator]
            assert (made, reference.cut_up(bytes(made), ends.tolist())) == (wanted[0], reference.cut_up(*wanted))


def test_every_byte_of_a_record_has_a_mark() -> None:
    for marks, block in ((b"\1", 5), (b"", 1), (b"\1", 0), (b"\1", -9)):
        with pytest.raises(ValueError, match="do not hold 6"):
            IdRecords(b"\2:0\0xy", array("Q", [0, 3, 6]), marks, block)


def test_what_is_no_record_is_refused() -> None:
    reader = IdRecords(b"\2:0\0x", array("Q", [0, 3, 3, 5, 6, 2]), b"\1", 6)
    assert [reader.name(0, "ses"), reader.name(2, "ses"), reader.name(0, "s")] == ["se:0", "x", "s:0"]
    for at in (1, 3, 4):
        with pytest.raises(ValueError, match=f"name {at}"):
            reader.name(at, "ses")
    for at in (-1, 5, 2**62):
        with pytest.raises(IndexError):
            reader.name(at, "ses")
