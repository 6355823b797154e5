"""A refresh reads what changed and nothing else, and leaves what a rebuild would."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

import pytest

from recall_rank.histories.cache.refresh import refresh
from recall_rank.histories.cache.rules import RefreshRules
from recall_rank.histories.cache.segment_plan import MOST
from recall_rank.histories.cache.source_accounts import sum_notices
from recall_rank.histories.cache.store import find
from recall_rank.histories.ignore import Ignore
from recall_rank.loaders import open_sources
from recall_rank.loaders.history_jsonl import HistoryJsonl
from recall_rank.loaders.read_all import found_twice
from recall_rank.model import Flag, Malformed, Message, Notice, Part, Reading, Session, Unit
from tests.conftest import state
from tests.fixtures.make_cursor import MAIN as MAIN_CHAT
from tests.fixtures.make_cursor import SUB, composers, put, write_cursor
from tests.fixtures.make_fixtures import FORK, MAIN, claude_main, lines, write_claude
from tests.support.histories.machine import Machine
from tests.support.histories.rebuilt import check, ids, refreshed, stored_sessions_of

STEPS = int(os.environ.get("RECALL_RANK_REFRESH_STEPS", "10"))


class Shelf:
    """A source in memory: a unit a key, and counts of what was asked of it."""

    def __init__(self, name: str = "shelf") -> None:
        self.name = name
        self.location = f"/{name}"
        self.held: dict[str, tuple[int, list[Session]]] = {}
        self.read_units: list[str] = []

    def put(self, key: str, *sessions: Session) -> None:
        self.held[key] = self.held.get(key, (0, []))[0] + 1, list(sessions)

    def units(self) -> Iterable[Unit]:
        return [Unit(key, f"{self.location}/{key}") for key in self.held]

    def signature(self, unit: Unit) -> bytes:
        return b"%d" % self.held[unit.key][0]

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        self.read_units.append(unit.key)
        return Reading(list(self.held[unit.key][1]))


def talk(key: str, *words: str, **more: object) -> Session:
    said = [
        Message(f"{key}:{number}", "user", 1000 + number, (Part(f"{key}:{number}:0", "text", text),))
        for number, text in enumerate(words)
    ]
    return Session(key, tuple(said), title=f"Title {key}", source="shelf", agent="quill", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_a_refresh_leaves_what_a_rebuild_would(tmp_path: Path, seed: int) -> None:
    machine = Machine(tmp_path / "home", seed)
    folder = tmp_path / "cache"
    check(refreshed(folder, machine.sources()), machine.sources(), search=True)
    for step in range(STEPS):
        done = [machine.change() for _ in range(machine.chance.choice((1, 1, 1, 2, 3)))]
        before = state(machine.home)
        try:
            check(refreshed(folder, machine.sources()), machine.sources(), search=step % 3 == 0)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, step {step}: {', '.join(done)}") from error
        assert state(machine.home) == before


@pytest.mark.parametrize("stores", ["claude", "pi tallow", "codex", "memo", "history"])
def test_the_same_of_stores_whose_sessions_copy_each_other(tmp_path: Path, stores: str) -> None:
    machine = Machine(tmp_path / "home", 7, stores)
    for _ in range(2 * STEPS):
        machine.change()
        check(refreshed(tmp_path / "cache", machine.sources()), machine.sources())


def test_what_is_idle_is_not_read_and_nothing_is_written(tmp_path: Path) -> None:
    shelf = Shelf()
    for number in range(20):
        shelf.put(f"u{number}", talk(f"s{number}", "the lantern is lit"))
    first = refreshed(tmp_path, [shelf])
    assert (first.report.changed, first.report.units, first.report.indexed) == (True, 20, 20)
    there = state(tmp_path)
    shelf.read_units.clear()
    again = refreshed(tmp_path, [shelf])
    assert (again.report.changed, again.report.units, shelf.read_units) == (False, 0, [])
    assert again.report.sources == first.report.sources
    assert {name: size for name, (size, _) in state(tmp_path).items()} == {
        name: size for name, (size, _) in there.items()
    }


def test_only_what_changed_is_read(tmp_path: Path) -> None:
    shelf = Shelf()
    for number in range(20):
        shelf.put(f"u{number}", talk(f"s{number}", "the lantern is lit"))
    refreshed(tmp_path, [shelf])
    shelf.read_units.clear()
    shelf.put("u7", talk("s7", "the lantern is lit", "and out again"))
    shelf.put("new", talk("s20", "a gull"))
    del shelf.held["u3"]
    done = refreshed(tmp_path, [shelf])
    assert sorted(shelf.read_units) == ["new", "u7"]
    assert (done.report.units, done.report.indexed, done.report.removed) == (2, 2, 1)
    check(done, [shelf], search=True)


def test_a_change_of_a_fork_lets_its_original_be_read_again(tmp_path: Path) -> None:
    home = write_claude(tmp_path / "home")
    refreshed(tmp_path / "cache", open_sources(home))
    path = home / "projects" / "-home-mara-lamp" / f"{MAIN}.jsonl"
    path.write_bytes(lines(claude_main().records[:3]))  # shorter than what the fork copied
    done = refreshed(tmp_path / "cache", open_sources(home))
    assert done.report.units >= 2
    check(done, open_sources(home), search=True)
    path.unlink()
    done = refreshed(tmp_path / "cache", open_sources(home))
    check(done, open_sources(home), search=True)
    assert FORK in ids(done.state)


def test_a_subagent_is_not_read_again_because_its_parent_grew(tmp_path: Path) -> None:
    home = write_claude(tmp_path / "home")
    folder = home / "projects" / "-home-mara-lamp"
    (folder / f"{FORK}.jsonl").unlink()
    refreshed(tmp_path / "cache", open_sources(home))
    more = claude_main()
    more.user("And one thing more")
    with (folder / f"{MAIN}.jsonl").open("ab") as file:
        file.write(lines(more.records[-1:]))
    done = refreshed(tmp_path / "cache", open_sources(home))
    assert (done.report.units, done.report.indexed) == (1, 1)
    check(done, open_sources(home), search=True)


def test_parents_that_only_parents_name_stay(tmp_path: Path) -> None:
    store = write_cursor(tmp_path / "home")
    database = store / "User" / "globalStorage" / "state.vscdb"
    changed = json.loads(json.dumps(composers()))
    for number, (key, words) in enumerate([(SUB, "Survey the keel"), (MAIN_CHAT, "Moored"), (SUB, "Survey the bow")]):
        os.utime(database, (1_700_000_000 + number, 1_700_000_000 + number))
        done = refreshed(tmp_path / "cache", open_sources(store))
        check(done, open_sources(store))
        assert done.report.changed
        changed[key]["name"] = words
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("DELETE FROM cursorDiskKV WHERE key = ?", (f"composerData:{key}",))
            put(connection, f"composerData:{key}", changed[key])
            connection.commit()


def test_segments_stay_few(tmp_path: Path) -> None:
    shelf = Shelf()
    for number in range(40):
        shelf.put(f"u{number}", talk(f"s{number}", f"the lantern number {number} is lit"))
        done = refreshed(tmp_path, [shelf])
        assert len(done.state.segments) <= MOST
    check(done, [shelf], search=True)
    for number in range(30):
        shelf.put("u0", talk("s0", *(f"gull {n}" for n in range(number + 1))))
        done = refreshed(tmp_path, [shelf])
        assert len(done.state.segments) <= MOST
    check(done, [shelf], search=True)


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.parametrize("how", ["unit", "session", "message", "title", "rewritten"])
def test_what_is_deleted_is_gone_from_the_disk(tmp_path: Path, how: str) -> None:
    shelf = Shelf()
    for number in range(40):
        shelf.put(f"u{number}", talk(f"s{number}", "the lantern is lit"))
    canary = "walrus7351"
    title = canary if how == "title" else "Tides"
    shelf.put("u", talk("a", "one"), Session("b", talk("b", "first", f"said {canary}").messages, title, agent="quill"))
    refreshed(tmp_path, [shelf])
    assert canary.encode() in bytes_of(tmp_path)
    match how:
        case "unit":
            del shelf.held["u"]
        case "session":
            shelf.put("u", talk("a", "one"))
        case "message":
            shelf.put("u", talk("a", "one"), Session("b", talk("b", "first").messages, title, agent="quill"))
        case "title":
            shelf.put("u", talk("a", "one"), Session("b", talk("b", "first", "said").messages, "Tides", agent="quill"))
        case _:
            shelf.put(
                "u",
                talk("a", "one"),
                Session("b", talk("b", "first", "said nothing at all of that").messages, title, agent="quill"),
            )
    done = refreshed(tmp_path, [shelf])
    assert canary.encode() not in bytes_of(tmp_path)
    check(done, [shelf])


CANARY = "walrus7351"
FIELDS: dict[str, Callable[[str], Session]] = {
    "id of a message": lambda word: Session("b", (Message(word, "user", 5, (Part("p", "text", "said"),)),)),
    "id of a part": lambda word: Session("b", (Message("m", "user", 5, (Part(word, "text", "said"),)),)),
    "tool": lambda word: Session("b", (Message("m", "user", 5, (Part("p", "tool", tool=word, output="said"),)),)),
    "kind of part": lambda word: Session("b", (Message("m", "user", 5, (Part("p", word, "said"),)),)),
    "author": lambda word: Session("b", (Message("m", "user", 5, (Part("p", "text", "said"),), author=word),)),
    **{
        name: lambda word, name=name: Session("b", talk("b", "said").messages, **{name: word})  # type: ignore[misc]
        for name in ("project", "worktree", "directory", "repository", "parent", "title")
    },
}


@pytest.mark.parametrize("field", FIELDS)
def test_what_a_session_is_no_longer_called_is_gone_from_the_disk(tmp_path: Path, field: str) -> None:
    shelf = Shelf()
    for number in range(40):
        shelf.put(f"u{number}", talk(f"s{number}", "the lantern is lit"))
    shelf.put("u", FIELDS[field](CANARY))
    refreshed(tmp_path, [shelf])
    assert CANARY.encode() in bytes_of(tmp_path)
    shelf.put("u", FIELDS[field]("renamed"))
    done = refreshed(tmp_path, [shelf])
    assert CANARY.encode() not in bytes_of(tmp_path)
    check(done, [shelf])


def test_what_vanishes_is_kept_where_that_was_wanted(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put("u0", talk("s0", "the lantern is lit"), talk("s1", "a gull"))
    shelf.put("u1", talk("s2", "the tide"))
    keep = RefreshRules(keep_vanished=True)
    refreshed(tmp_path, [shelf], keep)
    shelf.put("u0", talk("s1", "a gull"))
    del shelf.held["u1"]
    for rules in (keep, RefreshRules()):  # holds until the other is said
        done = refreshed(tmp_path, [shelf], rules)
        assert ids(done.state) == {"s0", "s1", "s2"}
        assert done.state.view.missing() == {("shelf", "s0"), ("shelf", "s2")}
        assert [(report.sessions, report.kept) for report in done.report.sources] == [(1, 2)]
    shelf.put("u2", talk("s2", "the tide", "comes back"))
    done = refreshed(tmp_path, [shelf])
    assert ids(done.state) == {"s0", "s1", "s2"}
    assert done.state.view.missing() == {("shelf", "s0")}
    assert refreshed(tmp_path, []).state.view.missing() == {("shelf", key) for key in ("s0", "s1", "s2")}
    assert not refreshed(tmp_path, []).report.changed
    assert ids(refreshed(tmp_path, [], RefreshRules(keep_vanished=False)).state) == set()


def test_what_is_ignored_is_not_kept_either(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put("u", talk("s0", "the lantern"), talk("s1", "a gull"))
    refreshed(tmp_path, [shelf], RefreshRules(keep_vanished=True))
    del shelf.held["u"]
    refreshed(tmp_path, [shelf])
    done = refreshed(tmp_path, [shelf], RefreshRules(Ignore(sessions=("s0",)), keep_vanished=True))
    assert ids(done.state) == {"s1"}
    assert b"lantern" not in bytes_of(tmp_path)


def test_other_rules_let_everything_be_read_again(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put("u", talk("s0", "the lantern"))
    refreshed(tmp_path, [shelf])
    other = RefreshRules(Ignore(sessions=("nobody",)))
    assert refreshed(tmp_path, [shelf], other).report.units == 1
    assert refreshed(tmp_path, [shelf], other).report.units == 0


def test_a_unit_that_cannot_be_read_is_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_bytes(lines([{"t": "session", "id": "s"}, {"t": "message", "session": "s", "id": "m", "role": "user"}]))

    class Locked(HistoryJsonl):
        locked = True

        def read(self, unit: Unit, since: bytes | None = None) -> Reading:
            if self.locked:
                raise OSError(13, "it is locked")
            return super().read(unit, since)

    source = Locked(path)
    done = refreshed(tmp_path / "cache", [source])
    assert [list(report.errors) for report in done.report.sources] == [[f"{path}: it is locked"]]
    check(done, [source])
    source.locked = False
    check(refreshed(tmp_path / "cache", [source]), [source])


def test_a_source_that_cannot_be_listed_gives_nothing_until_it_can(tmp_path: Path) -> None:
    class Gone(Shelf):
        gone = False

        def units(self) -> Iterable[Unit]:
            if self.gone:
                raise OSError(5, "the disk is away")
            return super().units()

    shelf = Gone()
    shelf.put("u", talk("s", "the lantern"))
    for gone in (False, True, True, False):
        shelf.gone = gone
        done = refreshed(tmp_path, [shelf])
        check(done, [shelf])
        assert ids(done.state) == (set() if gone else {"s"})


def test_odd_ids_and_numbers_survive_the_table(tmp_path: Path) -> None:
    shelf = Shelf()
    odd = Session("\ud800", talk("x", "a gull").messages, agent="\ud801", created=2**80, flags=Flag.ARCHIVED)
    shelf.put("u\ud802", odd, talk("s", "the lantern"))
    done = refreshed(tmp_path, [shelf])
    assert ids(done.state) == {"\ud800", "s"}
    found = {held.session.id: held.session for _, held in done.state.view.table().live()}
    assert (found["\ud800"].created, found["\ud800"].flags) == (2**80, Flag.ARCHIVED)
    assert not refreshed(tmp_path, [shelf]).report.changed


def test_counts_of_notices_of_one_kind_add_up() -> None:
    def copies(count: int) -> Notice:
        return Notice("copies", count, "{count} messages were copied")

    odd = Notice("odd", 0, "odd")
    assert [notice.text for notice in sum_notices([copies(2), found_twice(1), odd, copies(3), odd])] == [
        "5 messages were copied",
        "odd",
        "1 session was found twice and counted where more messages are",
    ]
    (twice,) = sum_notices([found_twice(1), found_twice(2)])
    assert twice.text == "3 sessions were found twice and counted where more messages are"


def test_broken_records_stay_told_of(tmp_path: Path) -> None:
    class Torn(Shelf):
        def read(self, unit: Unit, since: bytes | None = None) -> Reading:
            bad = Malformed(unit.location, "line 2", "torn")
            return Reading(super().read(unit).sessions, [bad], [f"half of {unit.key}", "alike"])

    shelf = Torn()
    for key in "abc":
        shelf.put(key, talk(key, "the lantern"))
    check(refreshed(tmp_path, [shelf]), [shelf])
    shelf.put("b", talk("b", "the lantern", "and a gull"))
    check(refreshed(tmp_path, [shelf]), [shelf])
    assert len(find(tmp_path).state.view.reports()[0].malformed) == 3  # type: ignore[union-attr]


def test_without_a_folder_the_same_goes_on_in_memory() -> None:
    shelf = Shelf()
    shelf.put("u0", talk("s0", "the lantern"))
    shelf.put("u1", talk("s1", "a gull"))
    first = refresh(None, [shelf])
    shelf.read_units.clear()
    shelf.put("u1", talk("s1", "a gull", "cries"))
    second = refresh(None, [shelf], held=first.state)
    assert shelf.read_units == ["u1"]
    check(second, [shelf], search=True)
    assert [message.id for message in stored_sessions_of(first.state)["quill", "s1"].messages] == ["s1:0"]
    assert not refresh(None, [shelf], held=second.state).report.changed


def said(session: str, number: int, words: str) -> bytes:
    """The records of a session with one message."""
    part = {"id": f"{session}.{number}.0", "type": "text", "text": words}
    message = {"t": "message", "session": session, "id": f"{session}.{number}", "role": "user", "parts": [part]}
    return lines([{"t": "session", "id": session, "title": session}, message])


def test_a_file_that_was_replaced_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_bytes(said("s0", 0, "the lantern is lit"))
    source = HistoryJsonl(path)
    refreshed(tmp_path / "cache", [source])
    path.write_bytes(said("s1", 0, "a gull cries above the harbour"))
    done = refreshed(tmp_path / "cache", [source])
    assert [key for _, key in stored_sessions_of(done.state)] == ["s1"]
    check(done, [source])


def test_of_a_file_that_grew_only_what_is_new_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "one.jsonl"
    path.write_bytes(b"".join(said(f"s{number}", 0, "the lantern is lit") for number in range(200)))
    source = HistoryJsonl(path)
    refreshed(tmp_path / "cache", [source])
    whole: list[bool] = []
    given = HistoryJsonl.read

    def counted(self: HistoryJsonl, unit: Unit, since: bytes | None = None) -> Reading:
        whole.append(since is None)
        return given(self, unit, since)

    monkeypatch.setattr(HistoryJsonl, "read", counted)
    for number in range(1, 4):
        with path.open("ab") as file:
            file.write(said("s7", number, "and out again") + said(f"n{number}", 0, "a gull"))
        done = refreshed(tmp_path / "cache", [source])
        assert (whole, done.report.indexed) == ([False] * number, 2)
    monkeypatch.undo()
    check(done, [source], search=True)
