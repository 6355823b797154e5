"""Finding stores and reading all of them: no failure of one source hides another."""

from __future__ import annotations

import importlib.metadata
import os
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recall_rank.loaders import Loader, discover, open_source, open_sources, plugins, read_all
from recall_rank.loaders.files.regular_files import NotRegularError, open_file, walk_files
from recall_rank.model import BaseSource, Message, Part, Reading, Session, Source, Unit
from tests.fixtures.make_fixtures import (
    FORK,
    MAIN,
    history_records,
    lines,
    main,
    write_claude,
    write_history,
    write_opencode,
)
from tests.loaders.conftest import Seal


class Toy(BaseSource):
    """A source of given sessions; an exception among them is raised when its unit is read."""

    def __init__(self, name: str, *given: Session | Exception) -> None:
        self.name = name
        self.location = f"/toys/{name}"
        self.given = given
        self.warnings = [f"{name} squeaks"]

    def units(self) -> Iterable[Unit]:
        if self.given and isinstance(self.given[0], OSError):
            raise self.given[0]
        return [Unit(str(number), f"{self.location}/{number}") for number in range(len(self.given))]

    def signature(self, unit: Unit) -> bytes:
        return b""

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        given = self.given[int(unit.key)]
        if isinstance(given, Exception):
            raise given
        return Reading([given], warnings=["worn"])


def session(key: str, messages: int, agent: str = "toy") -> Session:
    return Session(
        key, tuple(Message(f"m{n}", "user", n, (Part(f"p{n}", "text"),)) for n in range(messages)), agent=agent
    )


def test_a_failing_source_or_unit_hides_nothing() -> None:
    broken, gone = (
        Toy("broken", session("a", 1), RuntimeError("bug"), session("b", 2)),
        Toy("gone", PermissionError(13, "denied")),
    )
    steps: list[tuple[int, int | None]] = []
    sessions, (first, second, third) = read_all(
        [broken, gone, Toy("empty")], lambda done, total: steps.append((done, total))
    )
    assert [session.id for session in sessions] == ["a", "b"]
    assert (first.sessions, first.messages, first.parts, first.newest) == (2, 3, 3, 1)
    assert (first.errors, first.failed) == (("/toys/broken/1: RuntimeError: bug",), False)
    assert first.warnings == ("broken squeaks", "worn")
    assert (second.errors, second.failed) == (("/toys/gone: denied",), True)
    assert (third.failed, third.sessions) == (False, 0)
    assert steps == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert all(isinstance(source, Source) for source in (broken, gone))


def test_a_session_found_twice_counts_where_it_is_longest() -> None:
    sessions, (first, second, other) = read_all(
        [
            Toy("one", session("a", 1), session("b", 1)),
            Toy("two", session("a", 2), session("b", 1)),
            Toy("3", session("a", 5, "x")),
        ]
    )
    assert [(each.id, len(each.messages)) for each in sessions] == [("b", 1), ("a", 2), ("a", 5)]
    assert (first.sessions, second.sessions, other.sessions) == (1, 1, 1)
    assert first.warnings[-1] == "1 session was found twice and counted where more messages are"


def test_no_sources() -> None:
    assert read_all([]) == ([], [])


# --- recognition -----------------------------------------------------------------------------------


@pytest.fixture
def stores(tmp_path: Path, seal: Seal) -> Path:
    """A folder with a store of each kind and with files that are no stores."""
    root = tmp_path / "stores"
    main(root)
    (root / "history" / "queries.jsonl").write_bytes(lines([{"id": "q1", "kind": "k", "query": "x"}]))
    (root / "codex").mkdir()
    (root / "codex" / "rollout.jsonl").write_bytes(lines([{"type": "session_meta", "payload": {}}]))
    (root / "notes.db").write_bytes(b"nothing")
    (root / "empty.jsonl").touch()
    os.mkfifo(root / "pipe.jsonl")
    (root / "loop").symlink_to(root)
    return seal(root)


def test_every_store_below_a_folder_is_found_in_order(stores: Path) -> None:
    found = [(source.name, Path(source.location).name) for source in open_sources(stores)]
    read = [("claude-code", "projects"), ("history", "history.jsonl"), ("opencode", "opencode.db")]
    assert found == [*read, ("unrecognised", "stores")]
    sessions, reports = read_all(open_sources(str(stores)))
    assert (len(sessions), [report.sessions for report in reports]) == (7, [3, 2, 2, 0])
    missed = [stores / "codex" / "rollout.jsonl", stores / "history" / "queries.jsonl"]
    assert list(reports[-1].warnings) == [f"{path}: not recognised as a history, not read" for path in missed]
    assert not any(report.errors or report.malformed for report in reports)


def test_one_store_is_opened_and_several_or_none_are_refused(stores: Path) -> None:
    assert open_source(stores / "history").name == "history"
    with pytest.raises(ValueError, match=r"stands for 3 histories, not one: .*projects, "):
        open_source(stores)
    for nothing in ("codex", "pipe.jsonl", "history/queries.jsonl"):
        with pytest.raises(ValueError, match="no history is recognised here; known are aider, claude-code, "):
            open_source(stores / nothing)
    with pytest.raises(FileNotFoundError):
        open_source(stores / "gone")
    with pytest.raises(ValueError, match="no history of opencode was found on this machine"):
        open_source("opencode")


def test_a_named_file_without_one_whole_record_is_read_to_say_so(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_bytes(b'{"t":"session","id"')
    sessions, (report,) = read_all([open_source(path)])
    assert (sessions, len(report.malformed)) == ([], 1)
    path.write_bytes(b"")
    assert read_all([open_source(path)])[1][0].sessions == 0


def test_a_first_record_that_is_broken_or_huge_does_not_hide_the_kind(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(b'{"t":"sess\n' + lines(history_records()))
    assert open_source(broken).name == "history"
    huge = history_records()
    huge[0]["notes"] = "word " * 400_000
    assert open_source(write_history(tmp_path / "huge.jsonl.gz", huge)).name == "history"


def test_the_stores_of_a_machine_are_discovered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    assert discover({}, home) == []
    write_claude(home)
    write_opencode(home / ".local" / "share" / "opencode")
    found = {source.name: source.location for source in discover({}, home)}
    assert found == {
        "claude-code": str(home / ".claude" / "projects"),
        "opencode": str(home / ".local" / "share" / "opencode" / "opencode.db"),
    }
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(os, "environ", {"HOME": str(home)})
    assert open_source("Claude-Code", name="work").name == "work"
    assert len(discover()) == 2


def test_the_environment_moves_stores(tmp_path: Path) -> None:
    write_claude(tmp_path / "c")
    moved = write_opencode(tmp_path / "data" / "opencode")
    channel = moved.rename(moved.with_name("opencode-dev.db"))
    named = write_opencode(tmp_path / "elsewhere")
    environ = {
        "CLAUDE_CONFIG_DIR": str(tmp_path / "c" / ".claude"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "OPENCODE_DB": str(named),
        "APPDATA": str(tmp_path / "nothing"),
    }
    found = [source.location for source in discover(environ, tmp_path / "home")]
    assert sorted(found) == sorted([str(tmp_path / "c" / ".claude" / "projects"), str(named), str(channel)])
    assert len(discover({**environ, "OPENCODE_DB": ":memory:"}, tmp_path / "home")) == 2


def test_without_a_home_folder_no_store_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", homeless)
    assert discover({}) == []


def test_loaders_of_other_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toy = Loader("toy", lambda path: Toy("toy") if path.name == "toys" else None, lambda *_: [Toy("toy")])
    bad = Loader("bad", lambda _: None, lambda *_: 1 / 0)  # type: ignore[arg-type,return-value]

    class Entry:
        def __init__(self, name: str, held: Any) -> None:
            self.name = self.value = name
            self.held = held

        def load(self) -> Any:
            if isinstance(self.held, Exception):
                raise self.held
            return self.held

    entries = [Entry("c", ImportError("broken")), Entry("b", toy), Entry("a", "no loader"), Entry("d", bad)]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: entries)
    monkeypatch.setattr(plugins, "_mentions", lambda _: True)
    (tmp_path / "toys").mkdir()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert open_source(tmp_path / "toys").name == "toy"
        assert [source.name for source in discover({}, tmp_path)] == ["toy"]
    words = [str(warning.message) for warning in caught]
    assert [word.split(" ")[1] for word in words] == ["a", "c", "a", "c", "for"]
    assert "looking for bad failed: division by zero" in words


# --- files -----------------------------------------------------------------------------------------


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("x")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(plain)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inner").write_text("y")
    with open_file(plain) as file:
        assert file.read() == b"x"
    for name in ("pipe", "folder"):
        with pytest.raises(NotRegularError):
            open_file(tmp_path / name).__enter__()
    for root in (None, tmp_path):
        with pytest.raises(OSError, match="symbolic links"):
            open_file(tmp_path / "link", root).__enter__()
    with open_file(tmp_path / "folder" / "inner", tmp_path) as file:
        assert file.read() == b"y"
    (tmp_path / "way").symlink_to(tmp_path / "folder")
    with pytest.raises(OSError, match="way/inner"):
        open_file(tmp_path / "way" / "inner", tmp_path).__enter__()


def test_a_walk_reports_files_that_it_leaves_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "root"
    deep = root / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "x.txt").touch()
    (root / "y.txt").touch()
    os.mkfifo(root / "z.txt")
    (root / "out").symlink_to(tmp_path)
    (root / "in").symlink_to(deep)
    skipped: list[str] = []
    assert [path.name for path in walk_files(root, lambda name: name.endswith(".txt"), skipped)] == ["x.txt", "y.txt"]
    assert [each.removeprefix(f"{root}/") for each in skipped] == [
        "out: a link that leads outside is not followed",
        "z.txt: not a regular file",
    ]
    monkeypatch.setattr("recall_rank.loaders.files.regular_files.MAX_DEPTH", 1)
    skipped.clear()
    assert [path.name for path in walk_files(root, lambda name: name == "x.txt", skipped)] == []
    assert any("nested too deeply" in each for each in skipped)
    with pytest.raises(OSError, match="No such file"):
        list(walk_files(tmp_path / "gone", lambda _: True, skipped))


def test_a_folder_that_cannot_be_listed_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claude = write_claude(tmp_path)
    source = open_source(claude)
    real = os.scandir

    def scandir(path: Any) -> Iterator[Any]:
        if str(path).endswith("subagents"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    sessions, (report,) = read_all([source])
    assert {session.id for session in sessions} == {MAIN, FORK}
    assert any("subagents: Permission denied" in warning for warning in report.warnings)


def test_a_unit_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    claude = write_claude(tmp_path)
    source = open_source(claude)
    units = list(source.units())
    (claude / "projects" / units[0].key).unlink()
    source.units = lambda: units  # type: ignore[method-assign]
    sessions, (report,) = read_all([source])
    assert len(sessions) == 2
    assert "No such file" in report.errors[0]


@pytest.mark.parametrize(
    "name", ["mine.jsonl", "rollout-2026-01-01T00-00-00-mine.jsonl", "mine.jsonl.gz", "opencode.db"]
)
def test_a_named_file_of_noise_could_not_be_read(tmp_path: Path, name: str) -> None:
    """A search of it must not say that it found nothing."""
    path = tmp_path / name
    path.write_bytes(bytes(range(128, 256)) * 40 + b"\n" + bytes(range(32)) * 9)
    sessions, (report,) = read_all([open_source(path)])
    assert (sessions, report.failed) == ([], True)
