"""Look-ups in the sorted vocabulary: exact, by prefix, by edits."""

from __future__ import annotations

from array import array
from itertools import product
from random import Random
from time import monotonic_ns
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank._core.index.vocabulary import SAMPLE_STEP, Vocabulary, within_each
from recall_rank._core.search.literal_candidates import terms_containing
from recall_rank._core.search.spellings import joined_words, split_words, tagged_terms
from tests.reference.index import vocabulary as reference
from tests.support.kernels.inputs import LETTERS, VOCABULARY, columns, seeds, some_term, some_terms, vocabularies

KNOWN = [b"cat", b"cart", b"carts", b"dog", "çat".encode(), "猫".encode(), b"\x01cat", b"\x02cat", b"x" * 64]


def near(chance: Random, known: list[bytes]) -> bytes:
    """A form that is often one of `known` with a letter more, less or changed."""
    form = (chance.choice(known) if known and chance.random() < 0.7 else some_term(chance)).decode()
    at = chance.randrange(len(form))
    edited = form[:at] + chance.choice(["", *LETTERS]) + form[at + chance.randint(0, 1) :]
    return edited.encode() or b"a"


def test_terms_are_found_by_form_and_number() -> None:
    native, slow = vocabularies(KNOWN)
    assert len(native) == len(KNOWN)
    assert [native.form(number) for number in range(len(native))] == slow.terms
    assert [native.find(term) for term in slow.terms] == list(range(len(native)))


@pytest.mark.parametrize(
    ("form", "edits"),
    [
        pytest.param(b"cat", [(b"cart", 1), ("çat".encode(), 1), (b"carts", 2)], id="nearest first"),
        pytest.param(b"act", [(b"cat", 1), (b"cart", 2), ("çat".encode(), 2)], id="swap"),
        pytest.param(b"\x01cart", [(b"\x01cat", 1)], id="a field's terms only match their own field"),
        pytest.param(b"x" * 63, [(b"x" * 64, 1)], id="longest"),
        pytest.param("犬".encode(), [("猫".encode(), 1)], id="one character"),
        pytest.param(b"", [], id="nothing"),
        pytest.param(b"x" * 65, [], id="longer than a term can be"),
    ],
)
def test_terms_within_two_edits(form: bytes, edits: list[tuple[bytes, int]]) -> None:
    native, _ = vocabularies(KNOWN)
    assert sorted((native.form(number), count) for number, count in native.within(form, 2)) == sorted(edits)
    assert [count for _, count in native.within(form, 2)] == sorted(count for _, count in edits)


def test_a_prefix_is_one_range_a_length() -> None:
    native, slow = vocabularies([b"car", b"cart", b"card", b"cars", b"cat", b"carts", b"scar"])
    ranges = native.prefix(b"car")
    assert [slow.terms[first:last] for first, last in ranges] == [[b"card", b"cars", b"cart"], [b"carts"]]
    assert native.prefix(b"car", 4) == ranges[:1]
    assert native.prefix(b"car", 3) == native.prefix(b"") == native.prefix(b"c" * 65) == []
    assert native.prefix(b"car", 2**31 - 1) == ranges
    assert native.prefix(b"car", -5) == []


def test_more_candidates_than_one_chunk() -> None:
    # every term has the letters of the query, so the signature lets all of them through
    known = ["".join(letters).encode() for letters in product("abcd", repeat=6) if set(letters) == set("abcd")]
    native, slow = vocabularies(known)
    assert len(native) > 1500
    for form in (b"abcdab", b"ddccba", b"abcd"):
        assert native.within(form, 2) == slow.within(form, 2)


@pytest.mark.parametrize("count", [131_072, 131_073])
def test_a_form_is_found_with_a_filter_and_without(count: int) -> None:
    arena = b"".join([b"%06x" % number for number in range(count)])
    starts = array("I", [0] * 7 + [count] * 59)
    native = Vocabulary(arena, array("I", range(0, len(arena) + 1, 6)), starts, array("I", bytes(4 * count)))
    assert native.find_all([b"%06x" % number for number in range(count)]) == list(range(count))
    assert native.find_all([b"%06x" % number for number in range(count, count + 9)]) == [-1] * 9


def test_an_empty_vocabulary_answers() -> None:
    native, _ = vocabularies([])
    assert (len(native), native.find(b"a"), native.prefix(b"a"), native.within(b"a", 3)) == (0, -1, [], [])


@pytest.mark.parametrize("number", [-1, len(KNOWN), 2**62])
def test_there_is_no_such_term(number: int) -> None:
    with pytest.raises(IndexError):
        vocabularies(KNOWN)[0].form(number)


@pytest.mark.parametrize("bound", [-1, 4, 2**31 - 1])
def test_bound_is_0_to_3(bound: int) -> None:
    with pytest.raises(ValueError, match=str(bound)):
        vocabularies(KNOWN)[0].within(b"a", bound)


@pytest.mark.parametrize("name", VOCABULARY)
@pytest.mark.parametrize("cut", [slice(0, 0), slice(0, -1), slice(1, None)])
def test_buffers_must_fit_together(name: str, cut: slice) -> None:
    made = columns([dict.fromkeys(KNOWN, 1)])
    with pytest.raises(ValueError, match="fit together"):
        Vocabulary(*(made[other][cut] if other == name else made[other] for other in VOCABULARY))


@pytest.mark.parametrize(
    ("arena", "offsets", "words"),
    [
        pytest.param(b"abcd", [0, 5, 4], "out of order", id="behind the forms"),
        pytest.param(b"abcd", [0, 2**32 - 1, 4], "out of order", id="far behind them"),
        pytest.param(b"abcd", [3, 2, 4], "fit together", id="not from the first"),
        pytest.param(b"abcd", [0, 4, 4], "out of order", id="a term of nothing"),
        pytest.param(b"a" * 66, [0, 65, 66], "more than 64 bytes", id="a term of 65 bytes"),
        pytest.param(b"abcd", [0, 2, 5], "fit together", id="one more than there are"),
    ],
)
def test_offsets_must_ascend_to_the_last_form(arena: bytes, offsets: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Vocabulary(arena, array("I", offsets), array("I", [0, 0, *[2] * 64]), array("I", [0, 0]))


@pytest.mark.parametrize("starts", [[0, 3, *[2] * 64], [0, 2**32 - 1, *[2] * 64], [1, 0, *[2] * 64], [0] * 65 + [3]])
def test_lengths_must_ascend_to_the_last_term(starts: list[int]) -> None:
    with pytest.raises(ValueError, match=r"fit together|out of order"):
        Vocabulary(b"ab", array("I", [0, 1, 2]), array("I", starts), array("I", [0, 0]))


@pytest.mark.parametrize("name", VOCABULARY)
def test_buffers_must_hold_their_type(name: str) -> None:
    made: dict[str, Any] = columns([dict.fromkeys(KNOWN, 1)])
    for wrong, error in ((None, TypeError), (memoryview(bytes(16)).cast("d"), ValueError), ("text", TypeError)):
        with pytest.raises(error):
            Vocabulary(*(wrong if other == name else made[other] for other in VOCABULARY))


@given(seeds)
def test_find_and_prefix_are_a_look_at_every_term(chance: Random) -> None:
    known = some_terms(chance)
    native, slow = vocabularies(known)
    form = near(chance, known)[: chance.choice([1, 2, 4, 64])].decode(errors="ignore").encode() or b"a"
    longest = chance.randint(0, 12)
    assert native.find(form) == slow.find(form)
    several = [near(chance, known) for _ in range(chance.randint(0, 3))]
    assert native.find_all(several) == slow.find_all(several)
    assert native.prefix(form) == slow.prefix(form)
    assert native.prefix(form, longest) == slow.prefix(form, longest)


@given(seeds)
def test_letters_of_a_crowded_length_are_a_look_at_every_term(chance: Random) -> None:
    """As many of one length as are told apart by their second byte, whatever that is."""
    crowd = ["".join(letters).encode() for letters in product("1az", "0`abz{é", "1az{")]
    known = [*chance.sample(crowd, chance.randint(60, len(crowd))), b"\1za", b"a", b"zzzz"]
    native, slow = vocabularies(known)
    forms = [tag + form for form in chance.sample(crowd, 9) for tag in (b"", b"\1", b"z")] + [b"a", b"zz", b"zzz"]
    for _ in range(2):  # the second time it is known where letters begin
        assert native.find_all(forms) == slow.find_all(forms)
    for form in (chance.choice(crowd)[:1], chance.choice(crowd).decode()[:2].encode()):
        assert native.prefix(form) == slow.prefix(form)


@given(seeds)
def test_within_is_a_look_at_every_term(chance: Random) -> None:
    known = some_terms(chance)
    native, slow = vocabularies(known)
    form, bound = near(chance, known), chance.randint(0, 3)
    assert native.within(form, bound, use_simd=chance.random() < 0.5) == slow.within(form, bound)


@pytest.mark.parametrize("use_simd", [True, False])
def test_within_finds_more_than_are_picked_at_once(use_simd: bool) -> None:
    known = [b"lant" + bytes([a, b]) for a in b"abcdefghijklmnopqrstuvwxyz" for b in b"abcdefghijklmnopqrstuvwxyz0123"]
    native, slow = vocabularies(known)
    for form, bound in ((b"lantaa", 2), (b"lant", 2), (b"lant0z", 1), (b"zzzzzz", 3)):
        assert native.within(form, bound, use_simd=use_simd) == slow.within(form, bound)


def test_within_ends_at_its_deadline() -> None:
    native, slow = vocabularies([b"plinter", b"printed", b"printer"])
    assert native.within(b"printer", 2, deadline_ns=1) == []
    assert native.within(b"printer", 2, deadline_ns=monotonic_ns() + 10**12) == slow.within(b"printer", 2)


@given(seeds)
def test_several_vocabularies_tell_what_each_does(chance: Random) -> None:
    known = [some_terms(chance) for _ in range(chance.randint(0, 4))]
    pairs = [vocabularies(terms) for terms in known]
    form, bound = near(chance, chance.choice(known or [[b"a"]])), chance.randint(0, 3)
    found = within_each([native for native, _ in pairs], form, bound)
    assert found == reference.within_each([slow for _, slow in pairs], form, bound)


def test_several_vocabularies_are_nothing_else() -> None:
    with pytest.raises(TypeError):
        within_each([vocabularies(KNOWN)[0], None], b"plinter", 2)  # type: ignore[list-item]


@given(seeds)
def test_within_finds_terms_of_the_same_field_only(chance: Random) -> None:
    words = [word for word in some_terms(chance) if word[:1] >= b" " and len(word) < 60]
    native, slow = vocabularies(sorted({tag + word for word in words for tag in (b"", b"\1", b"\3") if tag + word}))
    form = chance.choice([b"", b"\1", b"\2", b"\3"]) + near(chance, words)[:60].lstrip(bytes(range(32)))
    assert native.within(form, 2) == slow.within(form, 2)


@given(seeds)
def test_within_in_a_crowd_of_likes(chance: Random) -> None:
    """Eight and more of one length, some of them not of ASCII letters, some longer than are taken eight at a time."""
    size = chance.choice([1, 2, 4, 5, 8, 31, 32, 33])
    letters = ["a", "b", chance.choice("1ü字")]
    base = "".join(chance.choices(letters[:2], k=size))
    known = {edited(chance, base, letters) for _ in range(24)} - {""}
    native, slow = vocabularies(sorted({cut(form) for form in known}))
    form, bound = cut(chance.choice([base, edited(chance, base, letters)])), chance.randint(1, 3)
    found = slow.within(form, bound)
    assert native.within(form, bound, use_simd=True) == found
    assert native.within(form, bound, use_simd=False) == found


def cut(form: str) -> bytes:
    """As much of `form` as a term may have."""
    return form.encode()[:64].decode(errors="ignore").encode()


def edited(chance: Random, form: str, letters: list[str]) -> str:
    """`form` after up to four inserts, deletions, replacements and swaps."""
    for _ in range(chance.randint(0, 4)):
        at = chance.randint(0, len(form))
        form = chance.choice(
            [
                form[:at] + chance.choice(letters) + form[at:],
                form[:at] + form[at + 1 :],
                form[:at] + chance.choice(letters) + form[at + 1 :],
                form[:at] + form[at + 1 : at + 2] + form[at : at + 1] + form[at + 2 :],
            ]
        )
    return form


@given(seeds, st.binary(max_size=70))
def test_no_bytes_are_found_that_are_no_term(chance: Random, form: bytes) -> None:
    native, slow = vocabularies(some_terms(chance))
    assert native.find(form) == slow.find(form)
    assert native.find_all([form, form]) == slow.find_all([form, form])
    assert all(slow.terms[number].startswith(form) for low, high in native.prefix(form) for number in range(low, high))
    assert all(0 <= number < len(slow) for number, _ in native.within(form, 3))


# --- an arena that is loaded block by block ---------------------------------------------------------------------------


class LoadedByBlock:
    """An arena and signatures that are full of other bytes until they are loaded."""

    def __init__(self, made: dict[str, Any], block: int) -> None:
        whole = Vocabulary(*(made[name] for name in VOCABULARY))
        self.samples, self.words = whole.samples(), memoryview(whole.word_starts()).cast("I")
        self.block = block
        self._sound, self._signatures = bytes(made["arena"]), made["signatures"]
        self.arena, self.signatures = bytearray(b"m" * len(self._sound)), array("I", b"\xa5" * 4 * len(whole))
        self.marks = bytearray(-(-len(self._sound) // block))
        self.partial = Vocabulary(self.arena, made["offsets"], made["starts"], self.signatures, partial=self)

    def load(self, blocks: list[int]) -> None:
        for number in blocks:
            cut = slice(number * self.block, (number + 1) * self.block)
            self.arena[cut] = self._sound[cut]
            self.marks[number] = 1

    def load_signatures(self, first: int, last: int) -> None:
        memoryview(self.signatures)[first:last] = memoryview(self._signatures)[first:last]


def many_terms(chance: Random, count: int) -> list[bytes]:
    """Return terms of 1 to 9 letters of few kinds, some of a field, and some of other scripts."""
    marks, letters = [b"", b"", b"", b"\x01", b"\x02"], ["a", "b", "c", "o", "\u00e7", "\u732b"]
    made = {
        chance.choice(marks) + "".join(chance.choices(letters, k=chance.randint(1, 9))).encode() for _ in range(count)
    }
    return sorted(made)


@pytest.mark.parametrize("count", [1, SAMPLE_STEP, 40 * SAMPLE_STEP])
@pytest.mark.parametrize("block", [16, 512])
def test_look_ups_load_the_blocks_that_they_need(count: int, block: int) -> None:
    chance = Random(count + block)
    known = many_terms(chance, count)
    made: dict[str, Any] = columns([dict.fromkeys(known, 1)])
    whole = Vocabulary(*(made[name] for name in VOCABULARY))
    for _ in range(12):
        loaded = LoadedByBlock(made, block)
        part = loaded.partial
        for _ in range(3):
            forms = [near(chance, known) for _ in range(3)]
            words = [form for form in forms if form[0] > 0x20]
            for ask in (
                lambda one, forms=forms: one.find_all(forms),
                lambda one, forms=forms: [one.find(form) for form in forms],
                lambda one, forms=forms: [one.prefix(form[:2]) for form in forms],
                lambda one, words=words: tagged_terms(one, words, b"\x01\x02"),
                lambda one, words=words: joined_words(one, words, 3, bytes(len(words))),
                lambda one, words=words: split_words(one, words, 2),
                lambda one: [one.form(number) for number in (0, len(one) // 2, len(one) - 1)],
                lambda one, forms=forms: one.within(forms[0], 2),
                lambda one: terms_containing(one, b"cab", 10**6),
            ):
                assert ask(part) == ask(whole)
        assert count < 10 * SAMPLE_STEP or block > 100 or not all(loaded.marks)
        assert within_each([part, whole], known[0], 1) == [whole.within(known[0], 1)] * 2


def test_a_part_that_does_not_fit_is_refused() -> None:
    made: dict[str, Any] = columns([dict.fromkeys(KNOWN, 1)])
    parts = [made[name] for name in VOCABULARY]

    class Odd:
        def __init__(self, **other: Any) -> None:
            sound = LoadedByBlock(made, 16)
            given = {name: getattr(sound, name) for name in ("samples", "words", "marks", "block")}
            self.__dict__.update({**given, **other})

    Vocabulary(*parts, partial=Odd())  # type: ignore[arg-type]
    for other in (
        {"samples": b""},
        {"marks": bytearray(1)},
        {"block": 0},
        {"words": array("I", [0])},
        {"words": array("I", [0] * 66)},
    ):
        with pytest.raises(ValueError, match=r"fit together|out of order|at least one byte"):
            Vocabulary(*parts, partial=Odd(**other))  # type: ignore[arg-type]
    whole = Vocabulary(*parts, partial=Odd())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="already"):
        whole.open_partial(Odd())  # type: ignore[arg-type]


def test_what_loading_raises_the_look_up_raises() -> None:
    made: dict[str, Any] = columns([dict.fromkeys(KNOWN, 1)])
    loaded = LoadedByBlock(made, 16)

    def refuse(_: list[int]) -> None:
        raise OSError("out of reach")

    loaded.load = refuse  # type: ignore[method-assign]
    for ask in (lambda one: one.find(b"cat"), lambda one: one.prefix(b"ca"), lambda one: one.within(b"cat", 1)):
        with pytest.raises(OSError, match="out of reach"):
            ask(loaded.partial)
