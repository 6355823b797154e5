"""Columns of numbers in few bits."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate
from random import Random
from typing import Literal

import pytest
from hypothesis import given

from recall_rank._core.index.packed_columns import GROUP, pack, run_marks, unpack, unpack_group
from tests.reference.index import packed_columns as reference
from tests.support.kernels.inputs import seeds

Code = Literal["B", "H", "I", "Q", "q"]
CODES: list[Code] = ["B", "H", "I", "Q", "q"]


def some_numbers(chance: Random) -> array[int]:
    """Numbers of some width, or that ascend, or with one among them that is far from the others."""
    code = chance.choice(CODES)
    most = 8 * array(code).itemsize
    bits = chance.randint(0, most)
    low = -(1 << bits >> 1) if code == "q" else 0
    numbers = [low + chance.getrandbits(bits) for _ in range(chance.choice([0, 1, 2, 63, 64, 65, 128, 200]))]
    match chance.randrange(4):
        case 0:
            numbers.sort()
        case 1 if code in "Qq":
            numbers = list(accumulate(chance.getrandbits(10) for _ in numbers))
        case 2 if numbers:
            numbers[chance.randrange(len(numbers))] = 2 ** (most - (code == "q")) - 1
    return array(code, numbers)


@given(seeds)
def test_columns_come_back(chance: Random) -> None:
    numbers = some_numbers(chance)
    data = pack(numbers)
    assert data == reference.pack(numbers.tolist())
    again = unpack(data, len(numbers), numbers.typecode)  # type: ignore[arg-type]
    assert (again.format, again.tolist(), again.readonly) == (numbers.typecode, numbers.tolist(), True)


@pytest.mark.parametrize("count", [0, 1, 63, GROUP - 1, GROUP, GROUP + 1, 3 * GROUP + 77])
@pytest.mark.parametrize("code", CODES)
def test_groups_are_read_without_those_before_them(count: int, code: Code) -> None:
    chance = Random(count)
    bits = 8 * array(code).itemsize - 1
    numbers = array(code, accumulate((chance.getrandbits(3) for _ in range(count)), lambda a, b: (a + b) % 2**bits))
    data = pack(numbers)
    marks = run_marks(data, count)
    assert marks.tolist() == reference.run_marks(data, count).tolist()
    assert len(marks) == 2 * -(-count // GROUP)
    for group in range(-(-count // GROUP)):
        start, before = marks[2 * group : 2 * group + 2]
        wanted = numbers[group * GROUP : (group + 1) * GROUP]
        end = marks[2 * group + 2] + reference.SLACK if 2 * group + 2 < len(marks) else len(data)
        for behind in (data[end:], b"\xff" * 9):
            found = unpack_group(data[start:end] + behind, len(wanted), code, before)
            assert (found.format, found.tolist(), found.readonly) == (code, wanted.tolist(), True)


def test_groups_of_other_bytes_are_refused() -> None:
    data = pack(array("H", range(GROUP)))
    for count in (0, -1, GROUP + 1, 2**62):
        with pytest.raises(ValueError, match="shorter or longer"):
            unpack_group(data, count, "H", 0)
    for cut in (b"", data[:7]):
        with pytest.raises(ValueError, match="shorter or longer"):
            unpack_group(cut, 1, "H", 0)
    with pytest.raises(ValueError, match="not what"):
        unpack_group(data[:30], GROUP, "H", 0)
    with pytest.raises(ValueError, match="not what"):
        run_marks(data, GROUP + 1)


@given(seeds)
def test_other_bytes_are_refused_or_numbers_of_their_type(chance: Random) -> None:
    numbers = some_numbers(chance)
    data, count, code = pack(numbers), len(numbers), chance.choice(CODES)
    for _ in range(chance.randrange(3)):
        at = chance.randrange(len(data))
        match chance.randrange(3):
            case 0:
                data[at] = chance.getrandbits(8)
            case 1:
                data.insert(at, chance.choice([0, 0x80, 0xFF]))
            case _:
                del data[at]
    count = chance.choice([count, count, count + 1, count - 1, count + 64, -1, 2**62])
    try:
        wanted = reference.unpack(bytes(data), count, code).tolist()
    except ValueError:
        with pytest.raises(ValueError, match="packed column"):
            unpack(data, count, code)
    else:
        assert unpack(data, count, code).tolist() == wanted


@pytest.mark.parametrize(
    ("numbers", "size"),
    [
        pytest.param([], 0, id="none"),
        pytest.param([7] * 64, 2, id="all equal"),
        pytest.param([7] * 65, 2 + 2, id="a run more"),
        pytest.param(range(128), 2 + 8 + 2, id="each one more than the last"),
        pytest.param(range(1000, 1064), 3 + 48, id="a first step that is longer than the others"),
        pytest.param([0, 255] * 32, 2 + 64, id="a byte each"),
        pytest.param([0, 2**56] * 32, 2 + 512, id="more bits than are read at once"),
    ],
)
def test_no_more_bits_than_are_needed(numbers: Sequence[int], size: int) -> None:
    packed = pack(array("Q", numbers))
    assert len(packed) - reference.SLACK == size
    assert unpack(packed, len(numbers), "Q").tolist() == list(numbers)


def test_a_type_that_columns_do_not_have_is_refused() -> None:
    with pytest.raises(KeyError):
        unpack(pack(array("B", [1])), 1, "d")  # type: ignore[arg-type]


def test_a_column_of_another_type_is_refused() -> None:
    for code in "bhifd":
        with pytest.raises(TypeError, match=f"type B, H, I, Q or q, not {code}"):
            pack(array(code, [1]))
