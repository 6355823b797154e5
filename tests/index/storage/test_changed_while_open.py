"""A file of an index that is cut or changed while it is open is refused by the next read, and ends no process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from recall_rank import Index
from recall_rank.index.errors import DamagedIndexError
from tests.support.index.cut_open import WAYS, sessions

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "cold"), [("segment", "cold"), ("segment", "warm"), ("table", "cold")])
@pytest.mark.parametrize("way", WAYS)
def test_every_read_of_a_changed_file_is_refused_or_equal(tmp_path: Path, way: str, kind: str, cold: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.index.cut_open", str(tmp_path), way, kind, cold],
        capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, (done.returncode, done.stdout[-500:], done.stderr[-2000:])
    outcomes = [line.split()[1:] for line in done.stdout.splitlines()]
    assert len(outcomes) > 1
    assert any("refused" in each for each in outcomes)
    if way in {"cut", "lengthened"} and kind == "segment":
        assert all(set(each) == {"refused"} for each in outcomes)


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be cut there")
def test_a_search_over_a_file_that_was_cut_is_an_error(tmp_path: Path) -> None:
    code = """
import os, sys
from pathlib import Path
from recall_rank import Index
from recall_rank.index.errors import DamagedIndexError
from tests.support.index.cut_open import sessions
folder = Path(sys.argv[1])
Index.build(sessions(40)).save(folder)
with Index.open(folder) as index:
    assert index.search("lantern").results
    (segment,) = folder.glob("segment-*")
    os.truncate(segment, 4096)
    try:
        index.search("lantern")
    except DamagedIndexError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "index")], capture_output=True, text=True,
                          check=False, cwd=ROOT)  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "it has 4096 bytes now, not " in done.stdout


def test_a_search_over_a_file_that_was_written_to_is_an_error(tmp_path: Path) -> None:
    Index.build(sessions(5)).save(tmp_path / "index")
    (segment,) = (tmp_path / "index").glob("segment-*")
    data = segment.read_bytes()
    with Index.open(tmp_path / "index") as index:
        wanted = [hit.snippet for hit in index.search("plover").results]
        assert "plover" in wanted[0]
        with segment.open("r+b") as file:
            file.write(data)  # by a program that restores or repairs it: the bytes are those that were verified
            os.utime(segment, (1, 1))
        assert [hit.snippet for hit in index.search("plover").results] == wanted
        segment.write_bytes(data.replace(b"plover", b"clover"))
        with pytest.raises(DamagedIndexError, match="is not what was written"):
            index.search("plover")
