"""Give kernels random inputs, as many as wanted: `python -m tests.sanitize.volume COUNT [SEED]`.

It checks no result, which is what the property tests do: it is there to be run on a sanitized build, where an access
outside of memory ends the process. Buffers are therefore blocks of malloc of exactly their size: behind bytes and str
CPython keeps a NUL, which hides a read of one byte too many. Prints how many inputs each kernel got; stderr has the
seed of the batch under way, to which COUNT 1000 and that seed return.
"""

from __future__ import annotations

import ctypes
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from recall_rank._core.index.id_codec import IdRecords, decode_ids, encode_ids
from recall_rank._core.index.packed_columns import pack, unpack
from recall_rank._core.index.postings import Postings
from recall_rank._core.index.text_blocks import pack_blocks, unpack_blocks
from recall_rank._core.index.vocabulary import Vocabulary
from recall_rank._core.search.cosines import cosines
from recall_rank._core.search.literal_candidates import ranges_around, terms_containing
from recall_rank._core.text.edit_distance import osa_distance
from recall_rank._core.text.passages import passage_ends
from recall_rank._core.text.secret_prefilter import SecretPrefilter
from recall_rank._core.text.substring_scan import count_code_points, find, first_standalone, mark_parts, mark_ranges
from recall_rank._core.text.token_coverage import is_covered
from recall_rank._core.text.tokens import query_tokens, tokens
from tests.support.kernels.inputs import ATOMS, CODE, POSTINGS, RAW, VOCABULARY, columns, some_terms

BATCH: Final = 1_000
REFUSED: Final = (ValueError, IndexError, OverflowError, KeyError)
ODD: Final = (0, 1, 7, 0x7F, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 2**63 - 1, 2**63, 2**64 - 1)
STARTS: Final = ["sk-ant-", "ghp_", "SK", "hooks.slack.com/services/", "AccountKey=", "Q~", "hf_"]
PREFILTER: Final = SecretPrefilter(STARTS)
SECRETS: Final = [*STARTS, "aB3dE5fG7hJ9aB3dE5fG7", "Token", "Bearer ", "://u:", "@host", "\x1b[33m", "=", "-----BEGIN"]
STOP: Final = frozenset((b"the", b"a", b"b"))

_libc = ctypes.CDLL(None)
_libc.malloc.restype = ctypes.c_void_p
_libc.malloc.argtypes = [ctypes.c_size_t]
_libc.free.argtypes = [ctypes.c_void_p]


class Blocks:
    """Blocks of malloc that are freed together, behind the calls that use them."""

    def __init__(self) -> None:
        self._held: list[int] = []

    def exact(self, data: bytes | bytearray | memoryview, code: str = "B") -> memoryview:
        """Return a view of type `code` of a block that has as many bytes as `data`, and its content."""
        content = bytes(data)
        place = _libc.malloc(len(content))
        assert place
        self._held.append(place)
        ctypes.memmove(place, content, len(content))
        view = memoryview((ctypes.c_char * len(content)).from_address(place)).cast("B")
        return view if code == "B" else view.cast(code)  # type: ignore[call-overload, no-any-return]

    def numbers(self, values: Sequence[int], width: int = 8) -> memoryview:
        """Return whole numbers, cut to `width` bytes, in a block of their own."""
        data = b"".join((value % 256**width).to_bytes(width, "little") for value in values)
        return self.exact(data, {1: "B", 4: "I", 8: "Q"}[width])

    def free(self) -> None:
        """Free every block. Nothing may use a view of one any more."""
        for place in self._held:
            _libc.free(place)
        self._held.clear()


def some_bytes(chance: random.Random) -> bytes:
    """Return a text of words, code or anything, mostly short."""
    pieces = chance.choice((RAW, RAW, CODE))
    text = b"".join(chance.choices(pieces, k=chance.randrange(chance.choice((4, 20, 80)))))
    return text + chance.randbytes(chance.randrange(9)) if chance.random() < 0.2 else text


def some_string(chance: random.Random) -> str:
    return "".join(chance.choices(ATOMS, k=chance.randrange(24)))


def some_cuts(chance: random.Random, count: int, size: int) -> list[int]:
    """Return `count` places in a text of `size` bytes; now and then one is outside or out of order."""
    found = sorted(chance.randint(0, size) for _ in range(count))
    if found and chance.random() < 0.1:
        found[chance.randrange(count)] = chance.choice((*ODD, size, size + 1))
    return found


def damaged(chance: random.Random, data: memoryview) -> bytearray:
    """Return the bytes of a column with a few numbers changed, cut or lengthened now and then."""
    made = bytearray(data)
    width = data.itemsize
    for _ in range(chance.randrange(3)):
        if len(made) >= width:
            at = chance.randrange(len(made) // width) * width
            value = chance.choice((*ODD, chance.getrandbits(64)))
            made[at : at + width] = (value % 256**width).to_bytes(width, "little")
    if chance.random() < 0.05:
        del made[len(made) // width // 2 * width :]
    return made


# --- one input for each kernel -----------------------------------------------------------------------------------

Try = Callable[[random.Random, Blocks], object]


def try_tokens(chance: random.Random, blocks: Blocks) -> object:
    return tokens(some_bytes(chance))


def try_query_tokens(chance: random.Random, blocks: Blocks) -> object:
    return query_tokens(some_bytes(chance), STOP)


def try_find(chance: random.Random, blocks: Blocks) -> object:
    text = some_bytes(chance)
    needle = text[chance.randint(0, len(text)) :][: chance.randrange(1, 40)].lower() or b"a"
    return find(blocks.exact(text), needle, chance.randint(0, len(text)), chance.random() < 0.5)


def try_ranges(chance: random.Random, blocks: Blocks) -> object:
    text, count = some_bytes(chance) * chance.randrange(1, 4), chance.randrange(6)
    needle = text[chance.randint(0, len(text)) :][: chance.randrange(1, 20)].lower() or b"a"
    cuts = some_cuts(chance, count + 1, len(text))
    held, low, high = blocks.exact(text), blocks.numbers(cuts[:-1]), blocks.numbers(cuts[1:])
    match chance.randrange(3):
        case 0:
            return first_standalone(held, low, high, needle, chance.randrange(1, 5), chance.random() < 0.5)
        case 1:
            return mark_ranges(held, low, high, needle, blocks.exact(bytes(count)), chance.random() < 0.5)
        case _:
            cuts[0], cuts[-1] = 0, len(text)
            wanted = blocks.exact(bytes(chance.randrange(2) for _ in range(count)))
            return mark_parts(held, blocks.numbers(cuts), needle, blocks.exact(bytes(count)), wanted)


def try_code_points(chance: random.Random, blocks: Blocks) -> object:
    text = some_bytes(chance)
    low, high = some_cuts(chance, 2, len(text))
    return count_code_points(blocks.exact(text), low % 2**62, high % 2**62, chance.random() < 0.5)


def try_edit_distance(chance: random.Random, blocks: Blocks) -> object:
    one = some_string(chance)
    other = (
        one[: chance.randint(0, len(one))] + some_string(chance)[:4] if chance.random() < 0.6 else some_string(chance)
    )
    return osa_distance(one, other, chance.randrange(5))


def try_passages(chance: random.Random, blocks: Blocks) -> object:
    return passage_ends(some_bytes(chance) * chance.randrange(1, 5), chance.randrange(16, 60))


def try_coverage(chance: random.Random, blocks: Blocks) -> object:
    return is_covered(some_bytes(chance))


def try_prefilter(chance: random.Random, blocks: Blocks) -> object:
    text = "".join(chance.choices((*SECRETS, *ATOMS), k=chance.randrange(30)))
    low = chance.randint(0, len(text))
    return PREFILTER.scan(text, low, chance.randint(low, len(text)))


def try_cosines(chance: random.Random, blocks: Blocks) -> object:
    size, count = chance.choice((1, 2, 7, 16, 33, 384)), chance.randrange(4)
    values = blocks.exact(bytes(byte if byte != 128 else 0 for byte in chance.randbytes(size * count)), "b")
    query = blocks.exact(b"".join(bytes(ctypes.c_float(chance.gauss(0, 1))) for _ in range(size)), "f")
    scales = blocks.exact(bytes(ctypes.c_float(1 / 127)) * count, "f")
    return cosines(values, scales, query, blocks.exact(bytes(4 * count), "f"))


def try_columns(chance: random.Random, blocks: Blocks) -> object:
    code = chance.choice("BHIQ")
    width = {"B": 1, "H": 2, "I": 4, "Q": 8}[code]
    count, most = chance.randrange(40), chance.choice((2, 200, 2**16, 2**64))
    column = b"".join((chance.randrange(most) % 256**width).to_bytes(width, "little") for _ in range(count))
    packed = pack(blocks.exact(column, code))
    return unpack(blocks.exact(damaged(chance, memoryview(packed))), chance.choice((count, count, count + 1)), code)  # type: ignore[arg-type]


def try_packed_text(chance: random.Random, blocks: Blocks) -> object:
    text, dictionary, block = some_bytes(chance), some_bytes(chance), chance.choice((1, 16, 100, 4_096))
    packed, starts = pack_blocks(blocks.exact(text), blocks.exact(dictionary), block)
    given = blocks.exact(damaged(chance, memoryview(packed)))
    places = blocks.exact(damaged(chance, starts), "Q") if chance.random() < 0.3 else starts
    numbers = blocks.numbers([chance.randrange(len(starts)) for _ in range(chance.randrange(3))], 4)
    return unpack_blocks(given, places, blocks.exact(dictionary), numbers, blocks.exact(text), block)


def try_ids(chance: random.Random, blocks: Blocks) -> object:
    owners = chance.choices((b"", b"ses_1", "sé".encode(), b"y" * 255, b"y" * 256), k=chance.randint(1, 4))
    count = chance.randrange(6)
    holder = sorted(chance.randrange(len(owners)) for _ in range(count))
    names = [
        owners[at][: chance.choice((0, 2, 400))] + chance.choice((b"", b":0", chance.randbytes(3))) for at in holder
    ]

    def laid(texts: list[bytes]) -> tuple[memoryview, memoryview]:
        starts = [0]
        for text in texts:
            starts.append(starts[-1] + len(text))
        return blocks.exact(b"".join(texts)), blocks.numbers(starts)

    held, owner = laid(owners), blocks.numbers(holder, 4)
    records, places = encode_ids(*laid(names), owner, *held)
    bad = blocks.exact(damaged(chance, memoryview(records)))
    starts = blocks.exact(damaged(chance, places.cast("B").cast("Q")), "Q")
    if count and chance.random() < 0.5:
        verified = blocks.exact(b"\1" * (len(bad) // 8 + 1))
        return IdRecords(bad, starts, verified, 8).name(
            chance.randrange(count), owners[holder[0]].decode("utf-8", "replace")
        )
    return decode_ids(bad, starts, owner, 0, *held)


def try_vocabulary(chance: random.Random, blocks: Blocks) -> object:
    terms = some_terms(chance)
    made = columns([dict.fromkeys(terms, 1)])
    hurt = chance.choice((*VOCABULARY, "", "", "", ""))
    parts = [
        blocks.exact(damaged(chance, made[name]) if name == hurt else made[name], made[name].format)
        for name in VOCABULARY
    ]
    vocabulary = Vocabulary(*parts)
    form = chance.choice((*terms, b"ab1", b"\x01a"))
    with_simd = chance.random() < 0.5
    return (
        vocabulary.find(form), vocabulary.prefix(form, 64), vocabulary.within(form, chance.randrange(4), with_simd),
        terms_containing(vocabulary, chance.choice((b"a", b"ab", b"c1")), 9),
        [vocabulary.form(at) for at in range(len(vocabulary))],
    )  # fmt: skip


def try_postings(chance: random.Random, blocks: Blocks) -> object:
    made = columns([dict.fromkeys(some_terms(chance), chance.randrange(1, 300)) for _ in range(chance.randrange(12))])
    hurt = chance.choice((*POSTINGS, ""))
    parts = [
        blocks.exact(damaged(chance, made[name]) if name == hurt else made[name], made[name].format)
        for name in POSTINGS
    ]
    postings = Postings(*parts)
    return [postings.postings(term) for term in range(postings.term_count)], postings.frequency(0, postings.term_count)


def try_document_ranges(chance: random.Random, blocks: Blocks) -> object:
    """Documents end to end, several a part; now and then a column does not fit the others."""
    sizes = [[chance.randrange(60) for _ in range(chance.randrange(1, 4))] for _ in range(chance.randrange(1, 6))]
    doc_start, part_start, doc_part = [0], [0], []
    for part, documents in enumerate(sizes):
        for size in documents:
            doc_start.append(doc_start[-1] + size)
            doc_part.append(part)
        part_start.append(doc_start[-1])
    if chance.random() < 0.2:
        hurt = chance.choice((doc_start, part_start, doc_part))
        hurt[chance.randrange(len(hurt))] = chance.choice(ODD)
    marked = blocks.exact(bytes(chance.randrange(2) for _ in doc_part))
    places = blocks.numbers(doc_start), blocks.numbers(doc_part, 4), blocks.numbers(part_start)
    return ranges_around(marked, *places, chance.randrange(60))


# How often: structures take ten times as long as texts.
TRIES: Final[tuple[tuple[Try, int], ...]] = (
    *((one, 10) for one in (try_tokens, try_query_tokens, try_find, try_ranges, try_code_points, try_edit_distance)),
    *((one, 10) for one in (try_passages, try_coverage, try_prefilter, try_columns, try_ids, try_document_ranges)),
    (try_packed_text, 10),
    (try_cosines, 3), (try_vocabulary, 1), (try_postings, 1),
)  # fmt: skip


def run(count: int, seed: int) -> Counter[str]:
    """Try `count` inputs in batches of BATCH, whose seeds follow each other; return how many each kernel got."""
    done: Counter[str] = Counter()
    tries, weights = zip(*TRIES, strict=True)
    for batch in range(-(-count // BATCH)):
        sys.stderr.write(f"\rseed {seed + batch}, {batch * BATCH:,} inputs")
        sys.stderr.flush()
        chance = random.Random(seed + batch)
        for one in chance.choices(tries, weights, k=min(BATCH, count - batch * BATCH)):
            blocks = Blocks()
            try:
                one(chance, blocks)
            except REFUSED:
                done[f"{one.__name__.removeprefix('try_')}, refused"] += 1
            else:
                done[one.__name__.removeprefix("try_")] += 1
            finally:
                blocks.free()
    sys.stderr.write("\n")
    return done


if __name__ == "__main__":
    told = run(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    for kernel, times in sorted(told.items()):
        print(f"{times:>10,} {kernel}")
    print(f"{told.total():>10,} inputs")
