"""A text that is packed in blocks is read like one that is not, and damage to it is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from array import array
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.corpus import Index
from recall_rank.index.errors import DamagedIndexError
from recall_rank.index.merge.merge import merge
from recall_rank.index.segment.build import build
from recall_rank.index.segment.columns import TEXT_BLOCK
from recall_rank.index.segment.segment import Segment
from recall_rank.index.segment.stored_sessions import stored_session
from recall_rank.index.storage import packed_text
from recall_rank.index.storage.folder import Folder
from recall_rank.index.storage.mapped_segment import MappedSegment
from recall_rank.index.storage.publish import add, open_generation, publish
from recall_rank.index.storage.segment_file import SegmentFile
from recall_rank.index.storage.segment_writer import columns_of
from recall_rank.model import Session
from tests.support.examples import examples
from tests.support.index.history import history, told
from tests.support.kernels.inputs import seeds
from tests.support.search.samples import ask, message, session
from tests.support.search.strategies import histories, query

WORDS = ["lantern", "wick", "berth_of(n)", "the tide", "0x7f31", "Möwe", "retry failed:", "\n", "pier-9"]


def talk(chance: Random, count: int = 12, words: int = 1_500) -> list[Session]:
    """Sessions with some 10 kB of text each."""
    return [
        session(f"s{n}", *(message(f"m{n}.{k}", " ".join(chance.choices(WORDS, k=words // 4))) for k in range(4)))
        for n in range(count)
    ]


def saved(folder: Path, segment: Segment, *, settled: bool = True) -> MappedSegment:
    """The segment as it is read from a file in a new index."""
    with Folder.create(folder) as held:
        listed = add(held, segment, settled=settled)
        publish(held, lambda _: (listed,))
    (opened,) = open_generation(folder).segments
    return opened


def is_packed(segment: MappedSegment) -> bool:
    return segment._packed_text is not None


@given(seeds)
@examples(30)
def test_every_range_of_a_packed_text_is_that_of_the_text(
    tmp_path_factory: pytest.TempPathFactory, chance: Random
) -> None:
    segment = build(talk(chance, chance.randint(8, 14)))
    wanted = bytes(segment.text)
    opened = saved(tmp_path_factory.mktemp("index"), segment)
    assert is_packed(opened)
    size = len(wanted)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(packed_text, "UNPACKED_BYTES", chance.choice([0, TEXT_BLOCK, 1 << 25]))
        for _ in range(chance.randint(1, 12)):
            starts = [chance.randint(0, size) for _ in range(chance.randint(0, 5))]
            ends = [chance.choice([start, start + 1, min(start + chance.randint(0, 9_000), size)]) for start in starts]
            ends = [min(end, size) for end in ends]
            if chance.random() < 0.5:
                text = opened.text_for(zip(starts, ends, strict=True))
            else:
                text = opened.text_between(array("Q", starts), array("Q", ends))
            assert len(text) == size
            for start, end in zip(starts, ends, strict=True):
                assert bytes(text[start:end]) == wanted[start:end]
    assert bytes(opened.text) == wanted


@examples(25)
@given(histories(), st.lists(st.tuples(query, st.sampled_from(("literal", "smart", "fuzzy", "regex"))), max_size=5))
def test_searches_answer_alike(
    tmp_path_factory: pytest.TempPathFactory, given: list[Session], asked: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("index")
    index = Index.build(given)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(packed_text, "SETTLED_BYTES", 1)
        patched.setattr(packed_text, "SAMPLE", 8)
        patched.setattr(packed_text, "UNPACKED_BYTES", 0)
        index.save(folder)
        with Index.open(folder) as opened:
            for text, mode in asked:
                outcomes: list[Any] = []
                for each in (index, opened):
                    try:
                        outcomes.append(told(ask(each, text, match=mode)))
                    except ValueError as error:  # no regular expression
                        outcomes.append(str(error))
                assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("match", ["literal", "smart", "fuzzy", "regex"])
def test_a_history_answers_alike_in_every_mode(tmp_path: Path, match: Any) -> None:
    segment = build([*history(), *talk(Random(3))])
    plain, packed = saved(tmp_path / "plain", segment, settled=False), saved(tmp_path / "packed", segment)
    assert (is_packed(plain), is_packed(packed)) == (False, True)
    assert packed.path.stat().st_size < plain.path.stat().st_size - len(segment.text) // 2
    texts = ("lantern", "lantren wick", "0x7f31", "->", "berth_of", "the tide retry", "e")
    with Index.open(tmp_path / "plain") as first, Index.open(tmp_path / "packed") as second:
        for text in texts:
            assert told(ask(second, text, match=match)) == told(ask(first, text, match=match))
        columns = second.columns
        assert {name: column.tolist() for name, column in first.columns.items()} == {
            name: column.tolist() for name, column in columns.items()
        }


def test_stored_sessions_are_those_that_were_saved(tmp_path: Path) -> None:
    segment = build(talk(Random(5)))
    opened = saved(tmp_path, segment)
    assert is_packed(opened)
    opened.verify()
    for number in range(len(segment.sessions)):
        assert stored_session(opened, number) == stored_session(segment, number)


def test_small_and_appended_segments_are_not_packed(tmp_path: Path) -> None:
    small = build(talk(Random(1), 3))
    assert len(small.text) < packed_text.SETTLED_BYTES
    assert not is_packed(saved(tmp_path / "small", small))
    noise = [session("s", message("m", Random(2).randbytes(60_000).hex()))]
    large = build([*talk(Random(1)), *noise])
    assert is_packed(saved(tmp_path / "large", large))
    assert not is_packed(saved(tmp_path / "appended", large, settled=False))


def test_a_text_that_does_not_become_shorter_is_not_packed() -> None:
    assert packed_text.packed_text(Random(1).randbytes(packed_text.SETTLED_BYTES)) is None


def test_merging_packed_segments_makes_the_segment_that_build_makes(tmp_path: Path) -> None:
    given = [talk(Random(seed)) for seed in (1, 2)]
    for number, some in enumerate(given):
        for at, each in enumerate(some):
            some[at] = session(f"{number}{each.id}", *each.messages)
    parts = [saved(tmp_path / str(number), build(some)) for number, some in enumerate(given)]
    assert all(map(is_packed, parts))
    gone = next(row for row, each in enumerate(parts[0].sessions) if each.id == "0s4")
    made = merge(parts, [{gone}, ()])
    wanted = build([each for some in given for each in some if each.id != "0s4"])
    assert {name: bytes(memoryview(column)) for name, _, column in columns_of(made)} == {  # type: ignore[arg-type]
        name: bytes(memoryview(column))  # type: ignore[arg-type]
        for name, _, column in columns_of(wanted)
    }
    again = saved(tmp_path / "again", made)
    assert is_packed(again)
    assert bytes(again.text) == bytes(wanted.text)


def test_no_byte_of_a_forgotten_text_is_in_the_rewritten_file(tmp_path: Path) -> None:
    secret = "".join(Random(9).choices("abcdefghijklmnopqrstuvwxyz", k=40))
    kept = talk(Random(1))
    segment = saved(tmp_path / "all", build([*kept, session("gone", message("g", f"{secret} " * 900))]))
    pieces = {secret[at : at + 6].encode() for at in range(len(secret) - 6)}
    data = segment.path.read_bytes()
    assert any(piece in data for piece in pieces)
    (row,) = (number for number, each in enumerate(segment.sessions) if each.id == "gone")
    rewritten = saved(tmp_path / "kept", merge([segment], [{row}]))
    assert is_packed(rewritten)
    data = rewritten.path.read_bytes()
    assert not any(piece in data for piece in pieces)
    assert secret.encode() not in bytes(rewritten.text)


def test_what_is_unpacked_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_text, "UNPACKED_BYTES", 4 * TEXT_BLOCK)
    segment = build(talk(Random(1), 30))
    opened = saved(tmp_path, segment)
    wanted, held = bytes(segment.text), []
    packed = opened._packed_text
    assert packed is not None
    for start in range(0, len(wanted) - 100, TEXT_BLOCK):
        held.append((start, opened.text_for([(start, start + 100)])))
        assert packed._pages is not None
        assert sum(packed._pages.marks) == packed._pages.unpacked <= 5
    for start, text in held:  # what a caller holds stays as it was
        assert bytes(text[start : start + 100]) == wanted[start : start + 100]


def test_nothing_is_unpacked_twice_or_beside_what_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    native = packed_text.unpack_blocks

    def counted(packed: Any, starts: Any, dictionary: Any, blocks: Any, *rest: Any) -> None:
        asked.extend(blocks)
        native(packed, starts, dictionary, blocks, *rest)

    monkeypatch.setattr(packed_text, "unpack_blocks", counted)
    opened = saved(tmp_path, build(talk(Random(1), 20)))
    opened.text_for([(TEXT_BLOCK - 1, TEXT_BLOCK + 1), (3 * TEXT_BLOCK, 3 * TEXT_BLOCK)])
    assert asked == [0, 1]
    opened.text_between(array("Q", [0, 5 * TEXT_BLOCK]), array("Q", [TEXT_BLOCK, 6 * TEXT_BLOCK]))
    assert asked == [0, 1, 5]
    sums = opened._file._verified["text"]
    assert 0 < sum(sums) < len(sums)


@pytest.mark.slow
def test_threads_share_what_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_text, "UNPACKED_BYTES", 6 * TEXT_BLOCK)
    segment = build(talk(Random(1), 60))
    opened = saved(tmp_path, segment)
    wanted = bytes(segment.text)

    def read(seed: int) -> bool:
        chance = Random(seed)
        for _ in range(300):
            start = chance.randrange(len(wanted))
            end = min(len(wanted), start + chance.randrange(12_000))
            if bytes(opened.text_for([(start, end)])[start:end]) != wanted[start:end]:
                return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(read, range(16)))


# --- damage -----------------------------------------------------------------------------------------------------------


def forged(opened: MappedSegment, monkeypatch: pytest.MonkeyPatch, **columns: Callable[[Any], Any]) -> None:
    """Let columns of the segment be others, as if their hashes fitted."""
    read, raw = SegmentFile.column, SegmentFile.raw

    def column(file: SegmentFile, name: str) -> Any:
        return columns[name](read(file, name)) if name in columns else read(file, name)

    def stored(file: SegmentFile, name: str) -> Any:
        return columns[name](raw(file, name)) if name in columns else raw(file, name)

    monkeypatch.setattr(SegmentFile, "column", column)
    monkeypatch.setattr(SegmentFile, "raw", stored)


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param({"text": lambda data: memoryview(bytes(len(data)))}, id="other bytes"),
        pytest.param({"text": lambda data: memoryview(b"\xff" * len(data))}, id="a block that unpacks to more"),
        pytest.param({"text": lambda data: data[: len(data) // 2]}, id="half of the bytes"),
        pytest.param({"text_starts": lambda starts: array("Q", [2**63] * len(starts))}, id="far outside"),
        pytest.param({"text_starts": lambda starts: array("Q", reversed(starts))}, id="descending"),
        pytest.param({"text_dictionary": lambda _: memoryview(b"")}, id="no dictionary"),
        pytest.param({"text_dictionary": lambda _: memoryview(bytes(40_000))}, id="a dictionary that is too long"),
    ],
)
def test_forged_blocks_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: dict[str, Callable[[Any], Any]]
) -> None:
    segment = build(talk(Random(1)))
    opened = saved(tmp_path, segment)
    forged(opened, monkeypatch, **columns)
    with pytest.raises(DamagedIndexError, match="build the index again"):
        opened.text_for([(0, len(segment.text))])


def test_a_flipped_bit_of_a_packed_block_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = saved(tmp_path, build(talk(Random(1))))
    place = opened._file._places["text"]
    path, size = opened.path, len(opened.text)
    with path.open("r+b") as file:
        file.seek(place.offset + place.size // 2)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 8]))

    def never(*_: object) -> None:
        raise AssertionError("a damaged block is unpacked")

    (again,) = open_generation(tmp_path).segments
    again.text_for([(0, 100)])
    monkeypatch.setattr(packed_text, "unpack_blocks", never)
    with pytest.raises(DamagedIndexError, match="of column text is not what was written"):
        again.text_for([(size // 3, size)])


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be cut there")
def test_a_file_that_is_cut_while_it_is_open_ends_no_process(tmp_path: Path) -> None:
    code = """
import os, sys
from pathlib import Path
from random import Random
from recall_rank.index.errors import DamagedIndexError
from recall_rank.index.segment.build import build
from tests.index.storage.test_packed_text import saved, talk
opened = saved(Path(sys.argv[1]), build(talk(Random(1))))
size = len(opened.text_for([(0, 10)]))
os.truncate(opened.path, 4096)
try:
    opened.text_for([(0, size)])
except DamagedIndexError as error:
    print(error)
"""
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "index")], capture_output=True, text=True,
                          check=False, cwd=root)  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "it has 4096 bytes now, not " in done.stdout
