"""Files that are too much: 1 GiB of address space is enough for each, little of it is used, and the good records
beside them are found. RECALL_RANK_SOAK=long runs the full sizes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures import make_bombs
from tests.fixtures.make_bombs import MIB
from tests.support.soak import times

CHILD = Path(__file__).resolve().parents[1] / "support" / "loaders" / "bounded_child.py"
ADDRESSES = 1 << 30
RESIDENT = 512 * MIB
Told = dict[str, Any]

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space hold on Linux only"),
    pytest.mark.timeout(600),
]


def searched(path: Path, cache: Path, query: str = "petrel") -> Told:
    """The answer of a child process with little memory that reads and searches the history at `path`."""
    command = [sys.executable, str(CHILD), str(path), str(cache), query, str(ADDRESSES)]
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # whose stacks would take the address space
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | threads, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    told: Told = json.loads(done.stdout)
    assert any("petrel" in hit for hit in told["hits"]), told
    assert told["peak"] <= RESIDENT, f"{told['peak'] >> 20} MiB resident"
    assert not told["errors"]
    assert told["stages"].get("reading", 0) >= 2
    return told


@pytest.mark.parametrize("size", [64 << 30])
def test_a_sparse_tail(tmp_path: Path, size: int) -> None:
    told = searched(make_bombs.sparse(tmp_path / "h.jsonl", size), tmp_path / "cache")
    assert (told["sessions"], told["reasons"]) == (2, ["torn last line (NUL bytes)"])


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_an_archive_of_one_endless_line(tmp_path: Path, suffix: str) -> None:
    size = times(600, 4096) * MIB
    told = searched(make_bombs.archive(tmp_path / f"h.jsonl{suffix}", size), tmp_path / "cache")
    assert (told["sessions"], told["malformed"]) == (2, 1)
    assert told["reasons"] == [f"a line of {size:,} bytes: more than 256 MiB are not read"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("piece", "size", "kept"),
    [
        pytest.param(b"1,", 30 * MIB, False, id="small values"),
        pytest.param(b'{"a":1},', 30 * MIB, False, id="small mappings"),
        pytest.param(b'"' + b"lamp " * 200_000 + b'",', 100 * MIB, True, id="texts of a megabyte"),
        pytest.param(b'"' + b"lamp " * 200_000 + b'",', 250 * MIB, False, id="more texts of a megabyte"),
        pytest.param(b'"' + "Lampe \U0001f4a1".encode() * 100_000 + b'",', 250 * MIB, False, id="wide characters"),
        pytest.param(b'"' + b"lamp " * 2000 + b'",', 250 * MIB, False, id="texts of 10 kilobytes"),
    ],
)
def test_a_long_record(tmp_path: Path, piece: bytes, size: int, kept: bool) -> None:
    told = searched(make_bombs.long_line(tmp_path / "h.jsonl", piece, size), tmp_path / "cache")
    assert (told["sessions"], told["malformed"]) == (2, 0 if kept else 1), told["reasons"]


@pytest.mark.slow
def test_a_wide_value_in_a_database(tmp_path: Path) -> None:
    told = searched(make_bombs.wide_value(tmp_path / "opencode.db", 400_000_000), tmp_path / "cache")
    assert told["reasons"] == ["a value of more than 64 MiB is not read"]


@pytest.mark.slow
def test_very_many_sessions_in_a_database(tmp_path: Path) -> None:
    count = times(20_000, 400_000)
    told = searched(make_bombs.database_of_sessions(tmp_path / "opencode.db", count), tmp_path / "cache")
    assert told["sessions"] == min(count, 131_072)


@pytest.mark.slow
def test_very_many_rows_of_one_session(tmp_path: Path) -> None:
    path = tmp_path / "home" / "opencode.db"
    path.parent.mkdir()
    make_bombs.database_of_rows(path, times(100_000, 1_500_000))
    (tmp_path / "home" / "good.jsonl").write_bytes(make_bombs.BEHIND)
    told = searched(path.parent, tmp_path / "cache")
    assert told["sessions"] == 2


@pytest.mark.slow
def test_long_titles(tmp_path: Path) -> None:
    told = searched(make_bombs.titles(tmp_path / "h.jsonl", times(10, 100)), tmp_path / "cache")
    assert told["malformed"] == 0


@pytest.mark.slow
def test_very_many_sessions_in_one_file(tmp_path: Path) -> None:
    count = times(132_000, 1_000_000)
    told = searched(make_bombs.many_sessions(tmp_path / "h.jsonl", count), tmp_path / "cache")
    left = count - 131_072
    assert told["sessions"] == 131_072
    most = "more than 131,072 sessions or 524,288 messages in one file"
    assert told["warnings"] == [f"{most}: the first {left:,} sessions and {left:,} messages were left out"]


@pytest.mark.slow
def test_very_many_broken_lines(tmp_path: Path) -> None:
    count = times(100_000, 2_000_000)
    told = searched(make_bombs.broken_lines(tmp_path / "h.jsonl", count), tmp_path / "cache")
    assert (told["sessions"], told["malformed"], told["listed"]) == (2, count, 1001)
    assert told["peak"] < 128 * MIB


@pytest.mark.slow
def test_very_many_empty_files(tmp_path: Path) -> None:
    told = searched(make_bombs.empty_files(tmp_path / "logs", times(5_000, 200_000)), tmp_path / "cache")
    assert (told["sessions"], told["malformed"]) == (2, 0)


@pytest.mark.slow
@pytest.mark.parametrize("make", [make_bombs.broken_lines, make_bombs.empty_files])
def test_the_time_is_linear(tmp_path: Path, make: Callable[[Path, int], Path]) -> None:
    few, many = 4_000, 16_000
    began = searched(make(tmp_path / "none.jsonl", 0), tmp_path / "c0")["cpu"]
    took = [searched(make(tmp_path / f"{count}.jsonl", count), tmp_path / f"c{count}")["cpu"] for count in (few, many)]
    assert took[1] - began < 3 * many / few * max(took[0] - began, 0.1)
