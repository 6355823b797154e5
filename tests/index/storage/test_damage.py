"""A damaged index is refused or answers as it did; a forged one crashes nothing."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from array import array
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import xxhash

from recall_rank._core.index.packed_columns import pack, unpack
from recall_rank._core.text.substring_scan import mark_parts
from recall_rank.corpus import Index
from recall_rank.index.errors import DamagedIndexError, IndexFormatError, MissingIndexError, UnusableIndexError
from recall_rank.index.merge.merge import merge
from recall_rank.index.segment.columns import COLUMNS
from recall_rank.index.segment.segment import Segment
from recall_rank.index.storage import segment_writer
from recall_rank.index.storage.format import ENTRY, FORMAT, HEADER, HEADER_SIZE, SUM
from recall_rank.index.storage.publish import open_generation
from tests.support.index.damage import manifest_for
from tests.support.index.history import history
from tests.support.index.stores import new_url
from tests.support.search.samples import ask, session
from tests.support.soak import LONG, first_seed, portion, tried

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of an index."""
    folder = tmp_path_factory.mktemp("saved")
    Index.build(history()).save(folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def folder(tmp_path: Path, saved: dict[str, bytes]) -> Path:
    """A copy of them."""
    place = tmp_path / "index"
    place.mkdir(mode=0o700)
    for name, data in saved.items():
        (place / name).touch(mode=0o600)
        (place / name).write_bytes(data)
    return place


def the(folder: Path, kind: str) -> Path:
    return next(folder.glob(f"{kind}-*"))


def child(script: str, *arguments: object) -> str:
    """The output of a script of tests/support, which a crash would end."""
    done = subprocess.run(
        [sys.executable, "-m", f"tests.support.{script}", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=None if LONG else subprocess.PIPE, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, (done.stderr or "")[-2000:]
    return done.stdout


@pytest.mark.slow
def test_damage_is_refused_or_harmless(tmp_path: Path) -> None:
    count = portion(5_000, 1_000_000)
    tried(count)
    told = child("index.damage", tmp_path / "index", count, 1 + first_seed())
    assert "flip a bit: refused" in told
    assert "an older stretch: refused" in told


@pytest.mark.slow
def test_forged_checksums_crash_nothing(tmp_path: Path) -> None:
    count = portion(1_000, 100_000)
    tried(count)
    told = child("index.damage", tmp_path / "index", count, 2 + first_seed(), "forge")
    assert "forge: refused" in told
    assert "forge: answered" in told


def test_a_flipped_bit_is_found_in_every_column(folder: Path, saved: dict[str, bytes]) -> None:
    segment = the(folder, "segment")
    data = saved[segment.name]
    *_, place, length, _, _ = HEADER.unpack_from(data)
    for name, (_, _, start, size, *_) in zip(COLUMNS, ENTRY.iter_unpack(data[place : place + length]), strict=True):
        for at in {start, start + size // 2, start + size - 1} if size else set[int]():
            segment.write_bytes(data[:at] + bytes([data[at] ^ 16]) + data[at + 1 :])
            opened = Index.open(folder)
            with pytest.raises(DamagedIndexError, match=f"of column {name} is not what was written; build the index"):
                opened._merged().verify()  # type: ignore[attr-defined]
            with pytest.raises(DamagedIndexError):
                Index.open(folder, verify=True)


@pytest.mark.parametrize("column", ["session_records", "message_id_bytes", "part_id_bytes"])
def test_a_flipped_bit_of_an_id_is_found_when_a_result_shows_the_id(tmp_path: Path, column: str) -> None:
    # a single hit: ids that break a tie are verified on another path
    Index.build([session("s", "the lantern", "a gull")]).save(tmp_path)
    segment = the(tmp_path, "segment")
    data = bytearray(segment.read_bytes())
    *_, place, length, _, _ = HEADER.unpack_from(data)
    entries = dict(zip(COLUMNS, ENTRY.iter_unpack(data[place : place + length]), strict=True))
    _, _, start, *_ = entries[column]
    data[start + 1] ^= 1
    segment.write_bytes(data)
    with Index.open(tmp_path) as opened, pytest.raises(DamagedIndexError, match=f"of column {column} is not what was"):
        ask(opened, "lantern")


def test_what_is_damaged_is_not_saved(folder: Path, saved: dict[str, bytes], tmp_path: Path) -> None:
    segment = the(folder, "segment")
    data = saved[segment.name]
    segment.write_bytes(data.replace(b"lists the keel", b"lists the kelp", 1))
    with Index.open(folder) as opened, pytest.raises(DamagedIndexError):
        opened.save(tmp_path / "copy")
    assert list((tmp_path / "copy").iterdir()) == []


@pytest.mark.parametrize("kind", ["segment", "manifest"])
def test_a_file_cut_anywhere_is_refused(folder: Path, saved: dict[str, bytes], kind: str) -> None:
    victim = the(folder, kind)
    data = saved[victim.name]
    for size in {*range(0, min(len(data), 200), 3), *range(0, len(data), max(len(data) // 50, 1)), len(data) - 1}:
        victim.write_bytes(data[:size])
        with pytest.raises(DamagedIndexError):
            Index.open(folder)


def test_a_missing_file_is_told(folder: Path) -> None:
    the(folder, "segment").unlink()
    with pytest.raises(DamagedIndexError, match="names a segment that is gone"):
        Index.open(folder)
    the(folder, "manifest").unlink()
    with pytest.raises(MissingIndexError, match="no index in"):
        Index.open(folder)


@pytest.mark.parametrize("version", [FORMAT - 1, FORMAT + 1])
def test_the_formats_beside_this_one_are_refused(folder: Path, saved: dict[str, bytes], version: int) -> None:
    segment, manifest = the(folder, "segment"), the(folder, "manifest")
    data = bytearray(saved[segment.name])
    struct.pack_into("<I", data, 8, version)
    data[HEADER.size : HEADER_SIZE] = SUM.pack(xxhash.xxh3_64_intdigest(data[: HEADER.size]))
    segment.write_bytes(data)
    manifest.write_bytes(manifest_for(saved[manifest.name], bytes(data)))
    with pytest.raises(IndexFormatError, match=f"format {version}, this version reads {FORMAT}; build the index again"):
        Index.open(folder)


@pytest.mark.parametrize("version", [FORMAT - 1, FORMAT + 1])
def test_two_versions_share_a_folder(folder: Path, version: int) -> None:
    manifest = the(folder, "manifest")
    other = manifest.with_name(f"manifest-{version}-7")
    manifest.rename(other)
    with pytest.raises(IndexFormatError, match=f"holds an index of format {version}, this version reads {FORMAT}"):
        Index.open(folder)
    index = Index.build(history(3))
    index.save(folder)
    assert other.exists()
    with Index.open(folder) as opened:
        assert ask(opened, "lantern").total == ask(index, "lantern").total


def test_another_machine_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "byteorder", "big")
    with pytest.raises(IndexFormatError, match="little-endian"):
        Index.open(folder)
    with pytest.raises(IndexFormatError, match="little-endian"):
        Index.build(history()).save(folder)


def shift(entries: list[list[bytes | int]], number: int, field: int, step: int) -> None:
    entries[number][field] += step  # type: ignore[operator]


DIRECTORIES: dict[str, Callable[[list[list[bytes | int]]], None]] = {
    "lies outside": lambda entries: shift(entries, len(entries) - 1, 3, 1 << 40),
    "is out of place": lambda entries: shift(entries, 1, 2, 1),
    "part_tool does not fit the others": lambda entries: shift(entries, list(COLUMNS).index("part_tool"), 4, -1),
    "part_type does not fit the others": lambda entries: shift(entries, list(COLUMNS).index("part_type"), 4, 2**60),
    "session_talk does not fit the others": lambda entries: shift(entries, list(COLUMNS).index("session_talk"), 3, -1),
    "is not there": lambda entries: entries.reverse(),
}


@pytest.mark.parametrize("words", DIRECTORIES)
def test_a_directory_that_leads_elsewhere_is_refused(folder: Path, saved: dict[str, bytes], words: str) -> None:
    segment, manifest = the(folder, "segment"), the(folder, "manifest")
    data = bytearray(saved[segment.name])
    *given, place, length, total, _ = HEADER.unpack_from(data)
    entries = [list(entry) for entry in ENTRY.iter_unpack(data[place : place + length])]
    DIRECTORIES[words](entries)
    directory = b"".join(ENTRY.pack(*entry) for entry in entries)
    header = HEADER.pack(*given, place, length, total, xxhash.xxh3_128_digest(directory))
    data[place : place + length] = directory
    data[:HEADER_SIZE] = header + SUM.pack(xxhash.xxh3_64_intdigest(header))
    segment.write_bytes(data)
    manifest.write_bytes(manifest_for(saved[manifest.name], bytes(data)))
    with pytest.raises(DamagedIndexError, match=words):
        Index.open(folder)


# Of each column, other values than those that were written; what is written has checksums that fit them.
FORGED: dict[str, Callable[[list[int]], list[int]]] = {
    "session_record_starts": lambda values: [0] * len(values),
    "session_first_message": lambda values: [values[0], *(value + 10**6 for value in values[1:-1]), values[-1]],
    "name_starts": lambda values: [0] * len(values),
    "message_role": lambda values: [9] * len(values),
    "message_author": lambda values: [99] * len(values),
    "message_first_part": lambda values: [values[0], *(value + 10**6 for value in values[1:-1]), values[-1]],
    "part_type": lambda values: [99] * len(values),
    "part_tool": lambda values: [99] * len(values),
    "part_first_doc": lambda values: [values[0], *(value + 10**6 for value in values[1:-1]), values[-1]],
    "part_first_field": lambda values: [value + 10**6 for value in values],
    "field_start": lambda values: [*(value + 1 for value in values[:-1]), values[-1]],
}


@pytest.mark.parametrize("column", FORGED)
def test_values_out_of_range_are_damage_wherever_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str
) -> None:
    sound, format_ = segment_writer.columns_of, COLUMNS[column]

    def columns_of(segment: Segment, *, settled: bool = False) -> Iterator[tuple[str, int, Any]]:
        for name, length, content in sound(segment, settled=settled):
            if name == column:
                values = unpack(content, length, format_.code) if format_.packed else memoryview(content)
                forged = array(format_.code, FORGED[column](values.tolist()))
                yield name, length, pack(forged) if format_.packed else forged
            else:
                yield name, length, content

    url = new_url()
    with monkeypatch.context() as patch:
        patch.setattr(segment_writer, "columns_of", columns_of)
        for place in (tmp_path / "index", url):
            Index.build(history()).save(place)

    def merged() -> None:
        (segment,) = open_generation(tmp_path / "index").segments
        merge([segment], [{0}])

    def searched(place: Path | str, query: str, match: str) -> None:
        with Index.open(place, **({} if isinstance(place, Path) else {"cache": tmp_path / "cache"})) as index:
            ask(index, query, match=match)

    places = (tmp_path / "index", url)
    asked = [partial(searched, place, *each) for place in places for each in (("lantern", "smart"), ("e", "literal"))]
    refused = 0
    for look in (merged, *asked):
        with suppress(DamagedIndexError):
            look()
            continue
        refused += 1
    assert refused >= 2


def test_a_segment_of_the_same_folder_is_no_other(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 2)):
        Index.build(history(seed)).save(tmp_path / name)
    the(tmp_path / "b", "segment").rename(the(tmp_path / "a", "segment"))
    with pytest.raises(UnusableIndexError, match=r"not the file that was written|another segment"):
        Index.open(tmp_path / "a")


def test_parts_that_end_behind_the_text_are_not_waited_for() -> None:
    for starts in ([0, 131_072, 6], [0, 3, 2**63, 6]):
        with pytest.raises(ValueError, match="out of order"):
            mark_parts(b"\1abc\1d", array("Q", starts), b"zz", bytearray(len(starts) - 1))
