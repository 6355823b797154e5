"""Damaged files of JSON lines: good records beside bad ones are kept, and the bad ones are counted."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from recall_rank.loaders import open_sources, read_all
from recall_rank.model import Part, Session, SourceReport
from tests.fixtures.make_fixtures import lines
from tests.support.loaders.bad_lines import FORMATS, Lines


def having(name: str) -> pytest.MarkDecorator:
    """The formats that have the given feature."""
    known = [key for key, form in FORMATS.items() if getattr(form, name) is not None]
    return pytest.mark.parametrize("form", known, indirect=True)


HUGE = "huge " * 700_000 + "last heron"


@pytest.fixture(params=FORMATS)
def form(request: pytest.FixtureRequest) -> Lines:
    return FORMATS[request.param]


class Store:
    """A store, what was read from it before, and the file in it that grows."""

    def __init__(self, form: Lines, folder: Path) -> None:
        self.form = form
        self.where = form.write(folder / "store")
        root = self.where if self.where.is_dir() else self.where.parent
        self.file = min(root.glob(form.grows))
        self.root = root
        self.before, self.report = self.read()

    def read(self) -> tuple[dict[str, Part], SourceReport]:
        """Every part by session, message and own id; one report."""
        sessions, (report,) = read_all(open_sources(self.where))
        assert not report.errors
        self.sessions: list[Session] = sessions
        return {f"{s.id} {m.id} {p.id}": p for s in sessions for m in s.messages for p in m.parts}, report

    def add(self, data: bytes) -> None:
        with self.file.open("ab") as file:
            file.write(data)

    def after(self, data: bytes) -> tuple[list[Part], SourceReport]:
        """The parts that are new after bytes are appended; no earlier part may be gone or changed."""
        self.add(data)
        now, report = self.read()
        # Compactions and branches may be marked otherwise; no word may be lost.
        assert {key: part.text for key, part in now.items() if key in self.before} == {
            key: part.text for key, part in self.before.items()
        }
        return [part for key, part in now.items() if key not in self.before], report


@pytest.fixture
def store(form: Lines, tmp_path: Path) -> Store:
    return Store(form, tmp_path)


def test_normal(store: Store) -> None:
    assert store.before
    assert store.report.malformed == ()
    new, report = store.after(lines([store.form.said("a new word: petrel")]))
    assert ([part.text for part in new], report.malformed) == (["a new word: petrel"], ())
    assert report.warnings == store.report.warnings


def test_empty(store: Store) -> None:
    for path in store.root.rglob("*.json*"):
        path.write_bytes(b"")
    sessions, reports = read_all(open_sources(store.where))
    assert sessions == []
    assert all((report.malformed, report.errors) == ((), ()) for report in reports)


def test_a_torn_last_line(store: Store) -> None:
    whole = lines([store.form.said("whole: petrel"), store.form.said("torn: walrus")])
    new, report = store.after(whole[:-9])
    assert [part.text for part in new] == ["whole: petrel"]
    (bad,) = report.malformed
    assert (Path(bad.location).name, "torn last line" in bad.reason) == (store.file.name, True)
    ends = store.file.read_bytes().count(b"\n")
    assert bad.place == f"line {ends + 1}"


def test_broken_lines_among_good_ones(store: Store) -> None:
    said = [lines([store.form.said(f"good {number}")]) for number in range(6)]
    bad = [b"{\n", b"[1, 2]\n", b'{"type": tru\n', b"\x00\x01\n", b'"a text"\n']
    new, report = store.after(b"".join(one + other for one, other in zip(said, [*bad, b""], strict=True)))
    assert [part.text for part in new] == [f"good {number}" for number in range(6)]
    assert len(report.malformed) == len(bad)


@having("unknown")
def test_an_unknown_type(store: Store) -> None:
    assert store.form.unknown is not None
    data = lines([store.form.unknown, store.form.unknown, store.form.said("behind it")])
    new, report = store.after(data)
    assert "behind it" in [part.text for part in new]
    assert report.malformed == ()
    (warning,) = set(report.warnings) - set(store.report.warnings)
    assert "unknown" in warning


def test_a_huge_record(store: Store) -> None:
    new, report = store.after(lines([store.form.said(HUGE), store.form.said("behind it")]))
    assert [part.text for part in new] == [HUGE, "behind it"]
    assert report.malformed == ()


def test_a_line_over_the_limit_is_counted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECALL_RANK_LIMITS", "line=1M")
    number = store.file.read_bytes().count(b"\n") + 2
    said = [store.form.said(words) for words in ("before it", HUGE, "behind it")]
    new, report = store.after(lines(said))
    assert [part.text for part in new] == ["before it", "behind it"]
    (bad,) = report.malformed
    assert (bad.place, bad.reason.split()[:3]) == (f"line {number}", ["a", "line", "of"])
    assert bad.reason.endswith("more than 1 MiB are not read")


@pytest.mark.skipif(not hasattr(os, "SEEK_HOLE"), reason="this system does not tell holes")
def test_the_holes_of_a_sparse_file_are_not_read(store: Store) -> None:
    for words in ("before it", "behind it"):
        store.add(lines([store.form.said(words)]))
        os.truncate(store.file, store.file.stat().st_size + (64 << 30))
        new, report = store.after(b"\n" if words == "before it" else b"")
    assert [part.text for part in new] == ["before it", "behind it"]
    assert [bad.reason for bad in report.malformed] == ["NUL bytes", "torn last line (NUL bytes)"]


def test_very_many_broken_lines_are_counted_and_few_listed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECALL_RANK_LIMITS", "listed=3")
    new, report = store.after(b"{broken\n" * 500 + lines([store.form.said("behind it")]))
    assert [part.text for part in new] == ["behind it"]
    assert (len(report.malformed), report.malformed_count) == (4, 500)
    assert (report.malformed[-1].count, report.malformed[-1].reason) == (497, "not listed one by one")


def test_wrong_encoding_and_lone_surrogates(store: Store) -> None:
    raw = [
        json.dumps(store.form.said(words)).encode().replace(b"@", odd) + b"\n"
        for words, odd in (
            ("latin @.", b"caf\xe9"),
            ("half a pair @.", b"\\ud83d"),
            ("separators @.", b"\xe2\x80\xa8\x0b"),
        )
    ]
    new, report = store.after(b"".join(raw))
    assert [part.text for part in new] == ["latin caf\ufffd.", "half a pair \ufffd.", "separators \u2028\x0b."]
    assert report.malformed == ()


def test_another_encoding(store: Store) -> None:
    store.add(lines([store.form.said("größer 潮汐")]))
    text = store.file.read_text(encoding="utf-8")
    store.file.write_text(text, encoding="utf-16")
    new, report = store.after(b"")
    assert ([part.text for part in new], report.malformed) == (["größer 潮汐"], ())


@having("spilled")
def test_a_missing_external_output_is_told(store: Store) -> None:
    assert store.form.spilled is not None
    spilled = sorted(store.root.glob(store.form.spilled))
    assert spilled
    whole = {part.output for part in store.before.values()}
    for path in spilled:
        path.unlink()
    now, report = store.read()
    assert now.keys() == store.before.keys()
    assert {part.output for part in now.values()} != whole  # a preview is left
    assert report.malformed == ()
    assert len(set(report.warnings) - set(store.report.warnings)) == 1


@having("newer")
def test_a_newer_version(store: Store) -> None:
    assert store.form.newer is not None
    newer = lines([store.form.newer])
    old = store.file.read_bytes()
    store.file.write_bytes(newer + old.partition(b"\n")[2])
    now, report = store.read()
    assert {part.text for part in now.values()} == {part.text for part in store.before.values()}
    assert report.malformed == ()
    (warning,) = set(report.warnings) - set(store.report.warnings)
    assert "version 99" in warning
