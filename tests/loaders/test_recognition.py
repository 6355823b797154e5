"""Histories are recognised whatever stands before their records, and files that are not recognised are named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from recall_rank import Recall
from recall_rank.histories.ignore import Ignore
from recall_rank.loaders import open_source, open_sources, read_all
from recall_rank.loaders.files import heads
from tests.fixtures.make_fixtures import history_records, lines, write_history
from tests.support.loaders.bad_lines import FORMATS
from tests.support.privileges import modes_bind

MIB = 1 << 20
BEFORE = {
    "an unknown record": b'{"hologram": 1}\n',
    "a long unknown record": b'{"hologram": "%b"}\n' % (b"wide " * (3 * MIB // 5)),
    "many unknown records": b'{"hologram": 1}\n' * 40,
    "blank lines": b"\n" * (2 * MIB),
    "lines of blanks": (b"  \t " * 16 + b"\r\n") * (MIB // 32),
    "a byte order mark and blank lines": b"\xef\xbb\xbf" + b"\n" * (2 * MIB),
    "NUL bytes": b"\0" * (2 * MIB) + b"\n",
    "broken lines": b"{broken\n" * 40,
}


def words(folder: Path) -> tuple[list[str], set[str]]:
    """The agents of the sources in a folder, and every title, working folder and text in them."""
    sources = open_sources(folder)
    sessions, _ = read_all(sources)
    said = {part.text or "" for session in sessions for message in session.messages for part in message.parts}
    told = {f"{session.title} in {session.directory}" for session in sessions}
    return [source.name for source in sources], said | told


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("form", FORMATS)
def test_what_stands_before_a_history_does_not_hide_it(tmp_path: Path, form: str, before: str) -> None:
    where = FORMATS[form].write(tmp_path / "store")
    file = min((where if where.is_dir() else where.parent).glob(FORMATS[form].grows))
    folder = tmp_path / "backup"
    folder.mkdir()
    shutil.copy(file, folder)
    names, said = words(folder)
    assert len(names) == 1
    assert said
    (folder / file.name).write_bytes(BEFORE[before] + file.read_bytes())
    assert words(folder) == (names, said)


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_a_packed_history_is_recognised_behind_blank_lines(tmp_path: Path, suffix: str) -> None:
    write_history(tmp_path / f"packed.jsonl{suffix}", [{"hologram": "wide " * MIB}, *history_records()])
    assert words(tmp_path)[0] == ["history"]


@pytest.mark.parametrize(
    "before", [b"", b"\n" * 100, b"\xef\xbb\xbf", b"\0" * 100], ids=["nothing", "blank lines", "mark", "NUL bytes"]
)
def test_a_history_of_long_records_is_recognised_by_the_key_of_the_first(tmp_path: Path, before: bytes) -> None:
    part = {"id": "p", "type": "text", "text": "wide gannet " * (MIB // 6)}
    record = {"t": "message", "id": "m", "session": "s", "role": "user", "parts": [part]}
    (tmp_path / "h.jsonl").write_bytes(before + lines([record, {**record, "id": "n"}]))
    names, said = words(tmp_path)
    assert names == ["history"]
    assert part["text"] in said


def test_files_that_are_not_recognised_are_named(tmp_path: Path) -> None:
    write_history(tmp_path / "good.jsonl")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "late.jsonl").write_bytes(b'{"hologram": 1}\n' * 200_000 + b'{"t": "session", "id": "s"}\n')
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "notes.txt").write_text("no history")
    *_, missed = open_sources(tmp_path)
    late = f"{tmp_path / 'below' / 'late.jsonl'}: not recognised as a history, not read"
    assert (missed.name, list(missed.units())) == ("unrecognised", [])
    with Recall(open_sources(tmp_path), tmp_path / "cache") as recall:
        *_, report = recall.refresh().sources
        assert (report.agent, report.sessions, report.warnings) == ("unrecognised", 0, (late,))
        assert recall.search("motor").coverage.per_source[-1].warnings == (late,)
    for number in range(12):
        (tmp_path / "below" / f"odd{number:02}.jsonl").write_bytes(b"no history\n")
    *_, missed = open_sources(tmp_path)
    assert len(missed.warnings) == 11
    assert missed.warnings[0] == late
    assert missed.warnings[-1] == "3 more files of JSON lines not recognised as a history, not read"
    with pytest.raises(ValueError, match=r"no history is recognised here; .*tallow; not recognised as a history: late"):
        open_source(tmp_path / "below")


def test_a_folder_that_cannot_be_listed_is_named(tmp_path: Path) -> None:
    write_history(tmp_path / "good.jsonl")
    write_history(tmp_path / "closed" / "h.jsonl")
    (tmp_path / "closed").chmod(0)
    with modes_bind():
        good, missed = open_sources(tmp_path)
    (tmp_path / "closed").chmod(0o700)
    assert good.name == "history"
    assert missed.warnings == [f"{tmp_path / 'closed'}: Permission denied, not read"]
    assert len(open_sources(tmp_path)) == 2


@pytest.mark.parametrize("cached", [True, False])
def test_a_file_that_is_ignored_is_not_named(tmp_path: Path, cached: bool) -> None:
    write_history(tmp_path / "logs" / "good.jsonl")
    for folder in ("open", "closed"):
        (tmp_path / "logs" / folder).mkdir()
        (tmp_path / "logs" / folder / "odd.jsonl").write_bytes(b"no history\n")
    ignore = Ignore(paths=(str(tmp_path / "logs" / "closed"),))
    with Recall(open_sources(tmp_path / "logs"), tmp_path / "cache" if cached else None, ignore=ignore) as recall:
        told = [warning for report in recall.refresh().sources for warning in report.warnings]
    assert told == [f"{tmp_path / 'logs' / 'open' / 'odd.jsonl'}: not recognised as a history, not read"]


def test_a_file_that_comes_or_goes_changes_no_cache(tmp_path: Path) -> None:
    home = tmp_path / "logs"
    write_history(home / "good.jsonl")
    for odd in (False, True, False):
        (home / "odd.jsonl").write_bytes(b"no history\n") if odd else (home / "odd.jsonl").unlink(missing_ok=True)
        with Recall(open_sources(home), tmp_path / "cache") as recall:
            reports = recall.refresh().sources
            assert any("not recognised" in each for report in reports for each in report.warnings) == odd
    assert len(list((tmp_path / "cache").glob("index-*"))) == 1


def test_the_effort_is_bounded(tmp_path: Path) -> None:
    short, wide = tmp_path / "short.jsonl", tmp_path / "wide.jsonl"
    short.write_bytes(lines([{"hologram": 1}]) * 1_000_000)
    with wide.open("wb") as file:
        for _ in range(80):
            file.write(b" " * MIB)
    assert sum(map(len, heads.head_blocks(short))) <= MIB + heads.PIECE
    assert sum(map(len, heads.head_blocks(wide))) == 0
