"""Text in packed blocks comes back, block by block, and what is no packed text is refused."""

from __future__ import annotations

from array import array
from random import Random

import pytest
from hypothesis import given

from recall_rank._core.index.text_blocks import MOST_BYTES, pack_blocks, unpack_blocks
from tests.reference.index import text_blocks as reference
from tests.support.kernels.inputs import seeds

WORDS = [b"lantern", b"wick", b" ", b"\n", b"def berth(n):\n    return n", b"retry", b"-" * 40, "Lüfter".encode()]


def some_text(chance: Random, most: int = 3_000) -> bytes:
    """Words, a repeated stretch, one byte again and again, or bytes that repeat nothing."""
    size = chance.choice([0, 1, 3, 4, 5, 15, 16, 17, 63, 255, 300, chance.randint(0, most)])
    match chance.randrange(4):
        case 0:
            return chance.randbytes(size)
        case 1:
            return (chance.randbytes(chance.randint(1, 40)) * (size + 1))[:size]
        case 2:
            return b"".join(chance.choice(WORDS) for _ in range(size))[:size]
        case _:
            words = [chance.randbytes(chance.randint(1, 300)) for _ in range(4)]
            return b"".join(chance.choice(words) for _ in range(size))[:size]


def blocks_of(starts: memoryview) -> array[int]:
    return array("I", range(len(starts) - 1))


@given(seeds)
def test_a_text_comes_back_block_by_block(chance: Random) -> None:
    text, dictionary = some_text(chance), some_text(chance, 500)
    if chance.random() < 0.5:
        dictionary += text[len(text) // 3 : len(text) // 2]
    block = chance.choice([1, 7, 64, 300, 1_000, 4_096, MOST_BYTES])
    packed, starts = pack_blocks(text, dictionary, block)
    again, places = reference.pack_blocks(text, dictionary, block)
    assert (packed, starts.tolist(), starts.readonly) == (again, places.tolist(), True)
    assert len(packed) <= len(text)
    blocks = blocks_of(starts)
    chance.shuffle(blocks)
    some = blocks[: chance.randint(0, len(blocks))]
    made, slowly = bytearray(b"\xee" * len(text)), bytearray(b"\xee" * len(text))
    unpack_blocks(packed, starts, dictionary, some, made, block)
    reference.unpack_blocks(bytes(packed), starts, dictionary, some, slowly, block)
    wanted = bytearray(b"\xee" * len(text))
    for number in some:
        wanted[number * block : (number + 1) * block] = text[number * block : (number + 1) * block]
    assert made == slowly == wanted


@given(seeds)
def test_damaged_blocks_are_refused_as_the_slow_version_does(chance: Random) -> None:
    text, dictionary, block = some_text(chance) or b"wick", some_text(chance, 500), chance.choice([64, 300, 4_096])
    packed, given = pack_blocks(text, dictionary, block)
    starts = array("Q", given)
    match chance.randrange(4):
        case 0:
            packed[chance.randrange(len(packed))] ^= 1 << chance.randrange(8)
        case 1:
            at = chance.randrange(len(starts))
            starts[at] = chance.choice([0, len(packed), len(packed) + 1, starts[at] + 1, 2**63, 2**64 - 1])
        case 2:
            del packed[chance.randrange(len(packed)) :]
        case _:
            dictionary = dictionary[: len(dictionary) // 2]
    for number in blocks_of(given):
        outcomes: list[bytearray | None] = []
        for unpack, data in ((unpack_blocks, packed), (reference.unpack_blocks, bytes(packed))):
            made = bytearray(b"\xee" * len(text))
            try:
                unpack(data, starts, dictionary, array("I", [number]), made, block)
            except ValueError:
                assert made == b"\xee" * len(text)
                outcomes.append(None)
            else:
                outcomes.append(made)
        assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    ("data", "length"),
    [
        pytest.param(b"", 4, id="nothing"),
        pytest.param(b"\x1fa\x01\x00" + b"\xff" * 200 + b"\x00", 5_000, id="a match that is longer than the block"),
        pytest.param(b"\x16a\x01\x00", 10, id="a match that is longer than the rest of the block"),
        pytest.param(b"\xf0" + b"\xff" * 200, 5_000, id="literals that are longer than the block"),
        pytest.param(b"\x10a\x00\x00\x00", 5_000, id="a match at no distance"),
        pytest.param(b"\x10a\x02\x00", 5, id="a match before the first byte"),
        pytest.param(b"\x10a\x01\x00xy", 5, id="bytes behind the last sequence"),
        pytest.param(b"\x10a\x01", 5, id="half a distance"),
        pytest.param(b"\x20a", 5, id="a literal that is missing"),
    ],
)
def test_a_block_unpacks_to_its_length_or_is_refused(data: bytes, length: int) -> None:
    made = bytearray(length)
    with pytest.raises(ValueError, match=r"not what pack_blocks\(\) makes"):
        unpack_blocks(data, array("Q", [0, len(data)]), b"", array("I", [0]), made, max(length, 1))
    assert not any(made)


def test_arguments_that_do_not_fit_are_refused() -> None:
    text = b"lantern wick " * 30
    packed, starts = pack_blocks(text, b"wick", 64)
    for block in (0, -1, MOST_BYTES + 1):
        with pytest.raises(ValueError, match="at most"):
            pack_blocks(text, b"", block)
    with pytest.raises(ValueError, match="at most"):
        pack_blocks(text, bytes(MOST_BYTES + 1), 64)
    room = bytearray(len(text))
    for size, block in ((len(text) + 64, 64), (len(text), 128), (len(text), 0), (0, 64)):
        with pytest.raises(ValueError, match="other blocks"):
            unpack_blocks(packed, starts, b"wick", blocks_of(starts), bytearray(size), block)
    with pytest.raises(ValueError, match="not what"):
        unpack_blocks(packed, starts, b"wick", array("I", [len(starts) - 1]), room, 64)
    with pytest.raises(BufferError):
        unpack_blocks(packed, starts, b"wick", blocks_of(starts), bytes(len(text)), 64)


def test_a_dictionary_makes_short_texts_shorter() -> None:
    text = b"".join(b"berth %d of the harbour is free\n" % (97 * n) for n in range(400))
    alone, _ = pack_blocks(text, b"", 256)
    helped, _ = pack_blocks(text, text[:512], 256)
    assert len(helped) < 0.7 * len(alone) < 0.5 * len(text)
