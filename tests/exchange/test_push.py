"""Several machines push to one index: nothing is lost, copies are one, and what is forgotten is in no byte."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random

import orjson
import pytest

from recall_rank.corpus import Index
from recall_rank.exchange import next_generation
from recall_rank.exchange.machines_table import MACHINES, MachineEntry, MachinesTable, SegmentNote, table_sections
from recall_rank.exchange.next_generation import PushReport
from recall_rank.exchange.outgoing import MachineName, Redact
from recall_rank.exchange.push import NotRemovedError, push, withdraw
from recall_rank.frontends.redaction.redacted_answers import session_without_secrets
from recall_rank.histories.ignore import Ignore
from recall_rank.histories.records.forgotten import forget, take_back
from recall_rank.histories.records.left_out import link_digest, named_digest, session_digest
from recall_rank.histories.removal.withdraw import withdraw as take_out
from recall_rank.index.errors import DamagedIndexError, IndexFormatError, IndexNotSavedError
from recall_rank.index.remote.object_store import ObjectStore
from recall_rank.index.remote.remote_folder import RemoteFolder
from recall_rank.index.remote.store_url import STORES
from recall_rank.index.segment.build import build
from recall_rank.index.storage.manifest import LAST_GENERATION, newest_manifest
from recall_rank.index.storage.publish import add, add_table, publish
from recall_rank.index.storage.table_file import DEAD, dead_section
from recall_rank.loaders import open_sources
from recall_rank.model import Message, Part, Session
from tests.support.frontends.picker import write_history
from tests.support.index.stores import contents, memory, new_url, objects, put
from tests.support.search.samples import message, session

DAY = 86_400_000


@pytest.fixture
def url() -> str:
    return new_url()


@pytest.fixture(autouse=True)
def own_stores_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))


def talk(key: str, *texts: str, day: int = 1, directory: str = "/home/ana/code/harbor") -> Session:
    messages = [message(f"{key}.{at}", text, time=day * DAY + at) for at, text in enumerate(texts)]
    return replace(session(key, *messages), directory=directory, updated=day * DAY, agent="demo")


@dataclass
class Machine:
    """A machine with one history file and a cache."""

    folder: Path
    url: str
    name: MachineName
    projects: Sequence[str] = ("/home/ana/code/*",)
    cached: bool = True
    turn: int = 0
    redact: Redact = session_without_secrets

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    def write(self, *sessions: Session) -> None:
        """Write the history anew, to another file: what seems to have grown alone is read on from its end."""
        self.turn += 1
        store = self.folder / "store"
        store.mkdir(parents=True, exist_ok=True)
        for path in store.iterdir():
            path.unlink()
        write_history(store / f"{self.turn}.jsonl", sessions)

    def push(self, **options: object) -> PushReport:
        return push(
            self.url,
            open_sources(self.folder / "store"),
            self.name,
            self.projects,
            self.redact,
            cache=self.cache if self.cached else None,
            **options,  # type: ignore[arg-type]
        )


@pytest.fixture
def machine(tmp_path: Path, url: str) -> Callable[..., Machine]:
    def made(host: str, *sessions: Session, cached: bool = True) -> Machine:
        found = Machine(tmp_path / host, url, MachineName(host, "ana"), cached=cached)
        found.write(*sessions)
        return found

    return made


def found(url: str, query: str, **options: object) -> list[tuple[str, str | None]]:
    """Return (session, host) of each hit, in the order of ids."""
    with Index.open(url, verify=True) as index:
        hits = index.search(query, budget_ms=60_000, match="literal", **options).results  # type: ignore[arg-type]
        return sorted((hit.session_id, hit.host) for hit in hits)


def holds(url: str, text: str) -> bool:
    return any(text.encode() in data for data in contents(url).values())


def test_sessions_of_two_machines_are_found_with_their_names(machine: Callable[..., Machine], url: str) -> None:
    one = machine("quay", talk("a", "the lantern is amber")).push()
    two = machine("mole", talk("b", "a lantern of brass")).push()
    assert (one.sessions, one.machines, one.written) == (1, 1, 1)
    assert (two.sessions, two.machines, two.all_sessions, two.copies) == (1, 2, 2, 0)
    assert found(url, "lantern") == [("a", "quay"), ("b", "mole")]
    assert found(url, "lantern", host="QUAY") == [("a", "quay")]
    assert found(url, "lantern", host="mole", user="ana") == [("b", "mole")]
    with Index.open(url) as index:
        response = index.search("lantern", host="mol")
        assert list(response.results) == []
        assert response.suggestions == ("no session has the host 'mol': did you mean 'mole'?",)
        assert response.coverage.sessions.skipped == {"machine": 2}
        hit = index.search("amber").to_dict()["results"][0]
        assert (hit["host"], hit["user"]) == ("quay", "ana")


def test_only_allowed_projects_leave_without_secrets(machine: Callable[..., Machine], url: str) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    here = machine("quay", talk("a", f"lantern {secret}"), talk("b", "private lantern", directory="/srv/diary"))
    assert here.push().sessions == 1
    assert found(url, "lantern") == [("a", "quay")]
    assert not holds(url, secret[4:])
    assert not holds(url, "private")
    for nothing in ((), ("",)):
        here.projects = nothing
        with pytest.raises(ValueError, match="name the projects"):
            here.push()
    here.projects = ("/srv/*",)  # what is no longer allowed is removed
    assert here.push().sessions == 1
    assert found(url, "lantern") == [("b", "quay")]


@pytest.mark.parametrize("allowed", ["/home/ana/code", "/home/ana/code/*", "/home/ana/code/*/", "harbor"])
def test_a_folder_is_allowed_however_it_is_spelt(machine: Callable[..., Machine], url: str, allowed: str) -> None:
    out = ("/home/ana/code/../diary", "/home/ana/code/harbor/../../../diary", "/home/ana/code/./x/../../.ssh")
    away = [talk(f"away{at}", "private lantern", directory=folder) for at, folder in enumerate(out)]
    there = talk("b", "lantern", directory="/home/ana/code/quay/../harbor/")
    here = machine("quay", talk("a", "lantern"), there, *away)
    here.projects = (allowed,)
    report = here.push()
    assert (report.sessions, report.staying) == (2, 3)
    assert found(url, "lantern") == [("a", "quay"), ("b", "quay")]
    assert not holds(url, "private")


def test_a_vanished_session_is_kept_while_its_project_is_allowed(machine: Callable[..., Machine], url: str) -> None:
    here = machine("quay", talk("a", "lantern"), talk("b", "lantern", directory="/srv/diary"))
    here.projects = ("/home/ana/code/*", "/srv/diary")
    here.push(keep_vanished=True)
    here.write(talk("c", "lantern"))
    here.push(keep_vanished=True)
    assert found(url, "lantern") == [("a", "quay"), ("b", "quay"), ("c", "quay")]
    here.projects = ("/home/ana/code/*",)
    here.push(keep_vanished=True)
    assert found(url, "lantern") == [("a", "quay"), ("c", "quay")]
    assert not holds(url, "diary")


def test_secrets_that_only_their_names_tell_do_not_leave(machine: Callable[..., Machine], url: str) -> None:
    given = {"password": "Tr0ub4dor3xyz", "nested": [{"api_key": "zq81mmfk2pl0xv93"}], "place": "lantern"}
    login = Message("m", "assistant", DAY, (Part("p", "tool", tool="login", input=given),))
    here = machine("quay", replace(talk("a", "log in"), messages=(login,)))
    assert here.push().sessions == 1
    assert found(url, "lantern") == [("a", "quay")]
    assert not holds(url, "Tr0ub4dor3xyz")
    assert not holds(url, "zq81mmfk2pl0xv93")
    assert found(url, "Tr0ub4dor3xyz") == []


KILLED = """
import os, signal, sys
from recall_rank.exchange.outgoing import MachineName
from recall_rank.exchange.push import push
from recall_rank.index.remote.object_store import ObjectStore
from recall_rank.loaders import open_sources
from pathlib import Path

url, history, cache = sys.argv[1:]
ObjectStore.put = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
push(url, open_sources(history), MachineName("quay", "ana"), ["*"], lambda it: it, cache=Path(cache) if cache else None)
"""


def push_killed(here: Machine) -> None:
    """Push from a process that is killed when the first segment is ready."""
    words = [sys.executable, "-c", KILLED, here.url, str(here.folder / "store"), str(here.cache) if here.cached else ""]
    assert subprocess.run(words, check=False).returncode == -signal.SIGKILL


@pytest.mark.posix
@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("change", [True, False])
def test_a_killed_push_leaves_text_that_the_next_one_removes(
    machine: Callable[..., Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cached: bool, change: bool
) -> None:
    staged = tmp_path / "xdg" / "recall_rank" / "staged"

    def holders(place: Path) -> list[Path]:
        return [path for path in place.rglob("*") if path.is_file() and b"xylograph" in path.read_bytes()]

    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    here = machine("quay", talk("a", "the word xylograph"), cached=cached)
    here.url, here.redact, here.projects = f"file://{tmp_path}/shared", lambda it: it, ["*"]
    if not change:
        here.push()  # what the killed one would write is there when the next one begins
        here.write(talk("a", "the word xylograph"), talk("b", "xylograph"))
    push_killed(here)
    assert holders(staged), "the killed push has left text"
    if not change:
        here.write(talk("a", "the word xylograph"))
    here.push()
    assert not list(staged.iterdir())
    assert holders(tmp_path / "temporary") == []


@pytest.mark.posix
def test_forgetting_removes_what_a_killed_push_has_left(machine: Callable[..., Machine], tmp_path: Path) -> None:
    here = machine("quay", talk("a", "the word xylograph"))
    here.url = f"file://{tmp_path}/shared"
    push_killed(here)
    staged = tmp_path / "xdg" / "recall_rank" / "staged"
    assert list(staged.iterdir())
    forget(here.cache, "a")
    take_out(here.cache)
    assert list(staged.iterdir()) == []


def test_an_unchanged_history_writes_nothing(machine: Callable[..., Machine], url: str) -> None:
    here = machine("quay", talk("a", "lantern"))
    here.push()
    before = contents(url)
    assert here.push().written == 0
    assert contents(url) == before
    here.write(talk("a", "lantern"), talk("b", "lantern"))
    assert here.push().written == 1
    assert found(url, "lantern") == [("a", "quay"), ("b", "quay")]


def test_other_rules_of_redaction_hold_for_all_that_was_pushed(machine: Callable[..., Machine], url: str) -> None:
    def hidden(given: Session) -> Session:
        return replace(given, messages=[replace(each, parts=()) for each in given.messages])

    here = machine("quay", talk("a", "lantern"))
    here.push()
    here.redact = hidden
    assert here.push(reading="hides all").written == 1
    assert not holds(url, "lantern")


@pytest.mark.parametrize("cached", [True, False])
def test_what_was_forgotten_is_in_no_byte_of_the_store(machine: Callable[..., Machine], url: str, cached: bool) -> None:
    here = machine("quay", talk("a", "the word xylograph"), talk("b", "lantern"), cached=cached)
    machine("mole", talk("a", "the word xylograph", "and more"), talk("c", "lantern")).push()
    here.push()
    assert holds(url, "xylograph")
    ignore = Ignore()
    if cached:
        forget(here.cache, "a")
    else:
        ignore = Ignore(forgotten=frozenset({session_digest("a")}))
    here.push(ignore=ignore)
    assert not holds(url, "xylograph")
    assert found(url, "xylograph") == []
    assert found(url, "lantern") == [("b", "quay"), ("c", "mole")]


@pytest.mark.parametrize("named", ["", named_digest(replace(talk("sess-zebrafish"), created=9))], ids=["id", "session"])
def test_the_id_of_a_forgotten_session_is_in_no_link(machine: Callable[..., Machine], url: str, named: str) -> None:
    child = replace(talk("c", "lantern"), parent="sess-zebrafish")
    gone = replace(talk("sess-zebrafish", "xylograph"), created=9)
    here, there = machine("quay", gone, child), machine("mole", replace(child, id="d"))
    there.push()
    here.push()
    assert holds(url, "sess-zebrafish")
    forget(here.cache, "sess-zebrafish", named=named)
    here.push()
    assert not holds(url, "sess-zebrafish")
    there.push()
    assert not holds(url, "sess-zebrafish")
    assert found(url, "lantern") == [("c", "quay"), ("d", "mole")]


@pytest.mark.parametrize("first", [True, False], ids=["pushed before", "pushed later"])
def test_a_link_stays_where_its_machine_has_another_session_with_the_id(
    machine: Callable[..., Machine], url: str, first: bool
) -> None:
    goat, gateway = counted("feed the goat", created=1000), counted("deploy the gateway", created=2000)
    here = machine("quay", goat, replace(talk("k", "lantern"), parent=goat.id))
    there = machine("mole", gateway, replace(talk("c", "lantern"), parent=gateway.id))
    here.push()
    for _ in range(2 * first):
        there.push()
    forget(here.cache, goat.id, named=named_digest(goat))
    here.push()
    for _ in range(2):
        if not first:
            there.push()
        assert parents(url) == {"20260528_1": None, "c": gateway.id, "k": None}
        assert there.push().written + here.push().written == 0
    there.write(replace(talk("c", "lantern"), parent=gateway.id))
    for _ in range(2):
        there.push()
    assert parents(url) == {"c": None, "k": None}


def test_a_link_to_one_of_two_that_is_forgotten_is_removed_once(machine: Callable[..., Machine], url: str) -> None:
    goat = counted("feed the goat", created=1000)
    here = machine("quay", goat, replace(talk("k", "lantern"), parent=goat.id))
    here.push()
    forget(here.cache, goat.id, named=named_digest(goat), alone=False)
    here.push()
    assert parents(url) == {"k": None}
    assert here.push().written == 0


def parents(url: str) -> dict[str, str | None]:
    """Return the parent of each session of the index, by id."""
    with Index.open(url) as index:
        return {each.id: each.parent for each in index.indexed(index.session_ids)}


def counted(text: str, *, created: int) -> Session:
    """A session of an agent that counts its sessions, so that each machine has one with this id."""
    return replace(talk("20260528_1", text), created=created)


@pytest.mark.parametrize("cached", [True, False])
def test_different_sessions_with_one_id_are_found_and_forgotten_by_themselves(
    machine: Callable[..., Machine], url: str, cached: bool
) -> None:
    goat, gateway = counted("feed the goat", created=1000), counted("deploy the gateway", created=2000)
    here, there = machine("quay", goat, talk("k", "lantern"), cached=cached), machine("mole", gateway)
    third = machine("reed", replace(goat, messages=(*goat.messages, message("more", "and the hens"))))
    for one in (here, there, third):
        report = one.push()
    assert report.copies == 1
    assert found(url, "goat") == [("20260528_1", "reed")]
    assert found(url, "gateway") == [("20260528_1", "mole")]
    if cached:
        forget(here.cache, "20260528_1", named=named_digest(goat))
        here.push()
    else:
        gone = frozenset({session_digest("20260528_1")})
        here.push(ignore=Ignore(forgotten=gone), forgotten=frozenset({named_digest(goat)}))
    for one in (there, third):
        assert not holds(url, "goat")
        one.push()
    assert found(url, "gateway") == [("20260528_1", "mole")]


@pytest.mark.parametrize("known", [True, False], ids=["begins alike", "at an unknown time"])
@pytest.mark.parametrize("cached", [True, False])
def test_a_forgotten_session_goes_with_its_copies_and_no_push_brings_them_back(
    machine: Callable[..., Machine], url: str, known: bool, cached: bool
) -> None:
    goat = counted("feed the goat", created=1000)
    timeless = replace(goat, created=0, messages=(message("again", "the goat again", time=0),))
    copy = replace(goat, created=5000) if known else timeless
    here, there = (
        machine("quay", goat, talk("k", "lantern"), cached=cached),
        machine("mole", copy, talk("c", "lantern")),
    )
    other = machine("reed", counted("deploy the gateway", created=2000))
    for one in (here, there, other)[: 3 if known else 2]:  # what was created at an unknown time is a copy of both
        one.push()
    gone: dict[str, object] = {}
    if cached:
        forget(here.cache, "20260528_1", named=named_digest(goat))
    else:
        digest = session_digest("20260528_1")
        gone["ignore"] = Ignore(forgotten=frozenset({digest}))
        gone["forgotten"] = frozenset({named_digest(goat), link_digest(digest)})
    here.push(**gone)
    assert not holds(url, "goat")
    there.write(replace(copy, messages=(*copy.messages, message("more", "and the hens", time=0))), talk("c", "lantern"))
    for one in (there, here, there, other):
        one.push(**gone if one is here else {})
        assert not holds(url, "goat")
        assert not holds(url, "hens")
    assert found(url, "lantern") == [("c", "mole"), ("k", "quay")]
    assert found(url, "gateway") == [("20260528_1", "reed")]
    if cached:
        assert take_back(here.cache, "20260528_1")
    here.push()
    there.push()
    assert [key for key, _ in found(url, "goat")] == ["20260528_1"]


def test_what_an_earlier_version_forgot_is_known_by_its_id(machine: Callable[..., Machine], url: str) -> None:
    here, there = machine("quay", talk("k", "lantern")), machine("mole", counted("deploy", created=2000))
    there.push()
    forget(here.cache, "20260528_1")
    here.push()
    assert not holds(url, "deploy")


def test_copies_that_begin_alike_or_were_created_together_are_one(machine: Callable[..., Machine], url: str) -> None:
    same = counted("feed the goat", created=1000)
    machine("quay", same).push()
    for name, other in (("mole", replace(same, created=5000)), ("reed", counted("compacted", created=1000))):
        machine(name, replace(other, title="renamed")).push()
    assert machine("rush", replace(same, created=0)).push().copies == 3


def test_what_was_forgotten_elsewhere_does_not_come_back_until_it_is_taken_back(
    machine: Callable[..., Machine], url: str
) -> None:
    here, there = machine("quay", talk("a", "xylograph")), machine("mole", talk("a", "xylograph"), talk("c", "lantern"))
    here.push()
    there.push()
    forget(here.cache, "a")
    here.push()
    there.write(talk("a", "xylograph", "again"), talk("c", "lantern"))
    there.push()
    assert not holds(url, "xylograph")
    assert take_back(here.cache, "a")
    here.push()
    there.push()
    assert found(url, "xylograph") == [("a", "mole")]


def test_a_session_that_its_agent_deleted_is_removed(machine: Callable[..., Machine], url: str) -> None:
    here = machine("quay", talk("a", "xylograph"), talk("b", "lantern"))
    here.push()
    here.write(talk("b", "lantern"))
    here.push()
    assert not holds(url, "xylograph")
    assert found(url, "lantern") == [("b", "quay")]


def test_copies_of_one_session_are_one(machine: Callable[..., Machine], url: str) -> None:
    here, there = machine("quay", talk("a", "lantern")), machine("mole", talk("a", "lantern", "amber", day=2))
    here.push()
    assert there.push().copies == 1
    assert found(url, "lantern") == [("a", "mole")]
    assert found(url, "amber") == [("a", "mole")]
    here.write(talk("a", "lantern", "amber", "brass", day=3))
    here.push()
    assert found(url, "brass") == found(url, "amber") == [("a", "quay")]
    there.write(talk("z", "other"))
    there.push()
    assert found(url, "amber") == [("a", "quay")]
    here.write(talk("z", "another"))
    here.push()
    assert found(url, "amber") == []


def test_a_machine_withdraws(machine: Callable[..., Machine], url: str) -> None:
    here, there = machine("quay", talk("a", "xylograph")), machine("mole", talk("b", "lantern"))
    here.push()
    with pytest.raises(LookupError, match="ana@mole has pushed nothing"):
        withdraw(url, there.name)
    there.push()
    assert withdraw(url, here.name).machines == 1
    assert not holds(url, "xylograph")
    assert not holds(url, "quay")
    with pytest.raises(LookupError, match="ana@mole has"):
        withdraw(url, here.name)
    withdraw(url, there.name)
    assert found(url, "lantern") == []
    there.push()
    assert found(url, "lantern") == [("b", "mole")]


def test_what_a_machine_forgot_stays_so_when_it_withdraws(machine: Callable[..., Machine], url: str) -> None:
    here = machine("quay", talk("a", "xylograph"), talk("b", "rope"))
    there = machine("mole", talk("a", "xylograph"), talk("c", "lantern"))
    there.push()
    forget(here.cache, "a")
    here.push()
    assert withdraw(url, here.name).machines == 1
    there.write(talk("a", "xylograph"), talk("c", "lantern"), talk("d", "lantern"))
    there.push()
    assert not holds(url, "xylograph")
    assert found(url, "lantern") == [("c", "mole"), ("d", "mole")]


def test_a_history_that_is_out_of_reach_removes_nothing(machine: Callable[..., Machine], url: str) -> None:
    here = machine("quay", talk("a", "lantern"), talk("b", "lantern"))
    here.push()
    before = contents(url)
    here.write()
    with pytest.raises(ValueError, match="nothing would be left of the 2 sessions"):
        here.push()
    here.projects = ("/elsewhere/*",)
    here.write(talk("a", "lantern"))
    with pytest.raises(ValueError, match="withdraw them"):
        here.push()
    assert contents(url) == before
    here.projects = ("harbor",)  # by the last name of the folder
    assert here.push().removed == 1
    forget(here.cache, "a")  # that nothing is left is what was asked for
    assert here.push().sessions == 0
    assert not holds(url, "lantern")


def test_sessions_that_their_agent_deleted_may_be_kept(machine: Callable[..., Machine], url: str) -> None:
    here = machine("quay", talk("a", "lantern"), talk("b", "rope"))
    here.push(keep_vanished=True)
    here.write(talk("b", "rope"))
    assert here.push(keep_vanished=True).removed == 0
    assert found(url, "lantern") == [("a", "quay")]
    assert here.push().removed == 1


def test_machines_that_push_at_once_lose_nothing(tmp_path: Path, machine: Callable[..., Machine], url: str) -> None:
    machines = [machine(f"host{number}", talk(f"s{number}", "lantern"), talk("shared", "rope")) for number in range(4)]
    begun = threading.Barrier(len(machines))
    errors: list[BaseException] = []

    def work(one: Machine) -> None:
        begun.wait(60)
        try:
            for turn in range(3):
                number = one.name.host[4:]
                one.write(talk(f"s{number}", "lantern", f"turn{turn}"), talk("shared", "rope"))
                one.push()
        except BaseException as error:  # noqa: BLE001 - told below
            errors.append(error)

    threads = [threading.Thread(target=work, args=(one,)) for one in machines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert found(url, "turn2") == [(f"s{number}", f"host{number}") for number in range(4)]
    assert len(found(url, "rope")) == 1
    with RemoteFolder(ObjectStore(url)) as folder:
        manifest = newest_manifest(folder)
        assert sorted(folder.names()) == sorted([manifest.name, *(file.name for file in manifest.files)])


def test_a_lost_race_is_run_again(machine: Callable[..., Machine], url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = machine("quay", talk("a", "lantern")), machine("mole", talk("b", "lantern"))
    there.push()
    there.write(talk("b", "lantern"), talk("c", "lantern"))
    real, raced = next_generation.hidden_copies, []

    def hidden_copies(machines: object) -> object:
        if not raced:
            raced.append(True)
            there.push()  # between the reading of the newest generation and the writing of the next
        return real(machines)  # type: ignore[arg-type]

    monkeypatch.setattr(next_generation, "hidden_copies", hidden_copies)
    here.push()
    assert found(url, "lantern") == [("a", "quay"), ("b", "mole"), ("c", "mole")]


def test_an_index_that_was_not_pushed_is_left_alone(machine: Callable[..., Machine], url: str) -> None:
    Index.build([talk("a", "lantern")]).save(url)
    before = contents(url)
    with pytest.raises(ValueError, match="was not pushed"):
        machine("quay", talk("b", "rope")).push()
    assert contents(url) == before


def test_an_index_of_another_version_and_a_damaged_one_are_left_alone(
    machine: Callable[..., Machine], url: str
) -> None:
    here = machine("quay", talk("b", "rope"))
    here.push()
    (path,) = objects(url, "manifest")
    data = contents(url)[path]
    put(path, data[:-2])
    with pytest.raises(DamagedIndexError):
        here.push()
    put(path, data)
    here.push()
    put(path.replace("manifest-8-", "manifest-7-"), data)
    memory().rm_file(path)
    with pytest.raises(IndexFormatError, match="push to another URL"):
        here.push()


def entry(**changed: object) -> dict[str, object]:
    """Return a machine as the table of an index has it, with one segment."""
    segments = [{"content": "", "dead": []}]
    return {"host": "mole", "user": "ana", "pushed": 1, "forgotten": [], "segments": segments, **changed}


def put_table(url: str, machines: bytes) -> None:
    """Publish an index with the session b, and with this list of machines."""
    with RemoteFolder(ObjectStore(url)) as folder:
        files = [add(folder, build([talk("b", "lantern")]))]
        files.append(add_table(folder, {DEAD: dead_section([frozenset()]), MACHINES: machines}))
        publish(folder, lambda _: tuple(files))


def test_a_table_of_this_form_is_read(machine: Callable[..., Machine], url: str) -> None:
    put_table(url, orjson.dumps({"version": 1, "machines": [entry()]}))
    machine("quay", talk("a", "lantern")).push()
    assert found(url, "lantern") == [("a", "quay"), ("b", None)]


@pytest.mark.parametrize(
    "machines",
    [
        b"{",
        b"null",
        b"[]",
        b"[" * 100_000,
        b'{"version":1,"machines":null}',
        b'{"version":1,"machines":[null]}',
        orjson.dumps({"version": 2, "machines": [entry()]}),
        orjson.dumps({"version": 1, "machines": [entry(), entry(segments=[])]}),
        orjson.dumps({"version": 1, "machines": [entry()], "replaced": ["../segment"]}),
        orjson.dumps({"version": 1, "machines": [entry()], "replaced": [7]}),
        *(
            orjson.dumps({"version": 1, "machines": [entry(**changed)]})  # type: ignore[arg-type]
            for changed in (
                {"forgotten": ["word"]},
                {"forgotten": "0123456789abcdef" * 2},
                {"copies": [["word", "0123456789abcdef" * 2]]},
                {"copies": [["0123456789abcdef" * 2]]},
                {"segments": []},
                {"segments": [None]},
                {"segments": [{"content": "", "dead": []}] * 2},
                *({"segments": [{"content": "", "dead": [row]}]} for row in (-1, 1, 50, 10**12, 1e300, True, "0")),
                {"pushed": 1e300},
                {"pushed": -1},
                {"pushed": 2**63},
                {"pushed": None},
                {"host": "\x1b[31mmole"},
                {"host": 5},
                {"user": ""},
            )
        ),
    ],
)
def test_a_table_that_does_not_fit_is_refused(machine: Callable[..., Machine], url: str, machines: bytes) -> None:
    put_table(url, machines)
    before = contents(url)
    with pytest.raises(DamagedIndexError):
        machine("quay", talk("a", "lantern")).push()
    assert contents(url) == before


def test_a_segment_that_the_table_gives_for_another_is_replaced(machine: Callable[..., Machine], url: str) -> None:
    here = machine("quay", talk("a", "lantern"), talk("b", "lantern"))
    here.push()
    (path,) = objects(url, "table")
    (content,) = re.findall(rb'"content":"([0-9a-f]+)"', contents(url)[path])
    entry = MachineEntry("quay", "ana", 1, frozenset(), (SegmentNote(content.decode()),))
    with RemoteFolder(ObjectStore(url)) as folder:
        other = add(folder, build([talk("z", "rope")]))
        table = add_table(folder, table_sections(MachinesTable((entry,)), [frozenset()]))
        publish(folder, lambda _: (other, table))
    here.push()
    assert found(url, "lantern") == [("a", "quay"), ("b", "quay")]
    assert found(url, "rope") == []


@pytest.mark.parametrize("short", [1, 2], ids=["once", "twice"])
@pytest.mark.parametrize("first", range(1, 8))
def test_a_short_answer_of_the_store_removes_nobody(
    machine: Callable[..., Machine], url: str, monkeypatch: pytest.MonkeyPatch, first: int, short: int
) -> None:
    here, there = machine("quay", talk("a", "lantern")), machine("mole", talk("b", "lantern"), talk("c", "xylograph"))
    forget(there.cache, "c")
    there.push()
    sound, asked = ObjectStore.read, 0

    def read(self: ObjectStore, name: str) -> bytes:
        nonlocal asked
        data = sound(self, name)
        asked += name.startswith("manifest")
        return data[:50] if first <= asked < first + short and name.startswith("manifest") else data

    with monkeypatch.context() as patch:
        patch.setattr(ObjectStore, "read", read)
        if short == 1:
            assert here.push().machines == 2
        else:
            with suppress(DamagedIndexError):
                here.push()
    here.write(talk("a", "lantern"), talk("c", "xylograph"))
    here.push()
    assert found(url, "lantern") == [("a", "quay"), ("b", "mole")]
    assert not holds(url, "xylograph")


@pytest.mark.parametrize("refused", [True, False], ids=["refused", "not done"])
@pytest.mark.parametrize("withdrawn", [True, False], ids=["withdrawn", "forgotten"])
def test_what_could_not_be_deleted_is_told_until_it_is(
    machine: Callable[..., Machine], url: str, monkeypatch: pytest.MonkeyPatch, refused: bool, withdrawn: bool
) -> None:
    here, there = machine("quay", talk("a", "xylograph"), talk("b", "rope")), machine("mole", talk("c", "lantern"))
    here.push()
    there.push()
    if not withdrawn:
        forget(here.cache, "a")

    def rm_file(self: object, path: str) -> None:
        if refused:
            raise PermissionError(13, "AccessDenied")

    with monkeypatch.context() as patch:
        patch.setattr(type(memory()), "rm_file", rm_file)
        remove = partial(withdraw, url, here.name) if withdrawn else here.push
        with pytest.raises(NotRemovedError, match="AccessDenied" if refused else "the store still lists"):
            remove()
        assert found(url, "xylograph") == []
        assert found(url, "lantern") == [("c", "mole")]
        for one in (here, there) if not withdrawn else (there,):  # nothing else has changed since
            with pytest.raises(NotRemovedError, match="could not be deleted"):
                one.push()
        there.write(talk("c", "lantern"), talk("d", "lantern"))
        with pytest.raises(NotRemovedError):
            there.push()
    assert holds(url, "xylograph")
    assert not there.push().changed
    assert not holds(url, "xylograph")
    assert len(objects(url, "table")) == 1
    assert found(url, "lantern") == [("c", "mole"), ("d", "mole")]


def test_a_withdrawal_that_could_not_delete_is_repeated(
    machine: Callable[..., Machine], url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = machine("quay", talk("a", "xylograph"))
    here.push()

    def rm_file(self: object, path: str) -> None:
        raise PermissionError(13, "AccessDenied")

    with monkeypatch.context() as patch:
        patch.setattr(type(memory()), "rm_file", rm_file)
        for _ in range(2):
            with pytest.raises(NotRemovedError):
                withdraw(url, here.name)
    assert holds(url, "xylograph")
    withdraw(url, here.name)
    assert not holds(url, "xylograph")
    with pytest.raises(LookupError):
        withdraw(url, here.name)


def test_a_machine_that_is_killed_before_it_deletes_leaves_that_to_the_next(
    machine: Callable[..., Machine], url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = machine("quay", talk("a", "xylograph"), talk("b", "rope")), machine("mole", talk("c", "lantern"))
    here.push()
    there.push()
    forget(here.cache, "a")

    def delete(self: ObjectStore, name: str) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ObjectStore, "delete", delete)
        with pytest.raises(KeyboardInterrupt):
            here.push()
    assert holds(url, "xylograph")
    assert not there.push().changed
    assert not holds(url, "xylograph")


def test_what_was_replaced_is_deleted_and_what_is_listed_stays(machine: Callable[..., Machine], url: str) -> None:
    """Whatever the table of an index says was replaced."""
    here = machine("quay", talk("a", "lantern"))
    here.push()
    (segment,) = (path.rsplit("/", 1)[-1] for path in objects(url, "segment"))
    with RemoteFolder(ObjectStore(url)) as folder:
        told = MachinesTable((MachineEntry("quay", "ana", 1, frozenset(), (SegmentNote(""),)),), frozenset({segment}))
        table = add_table(folder, table_sections(told, [frozenset()]))
        publish(folder, lambda newest: (*newest.segments, table))
    machine("mole", talk("b", "lantern")).push()
    assert found(url, "lantern") == [("a", "quay"), ("b", "mole")]


@pytest.mark.parametrize("cached", [True, False])
def test_what_was_forgotten_is_in_no_byte_of_the_cache(
    machine: Callable[..., Machine], url: str, tmp_path: Path, cached: bool
) -> None:
    here = machine("quay", talk("a", "the word xylograph"), talk("b", "lantern"), cached=cached)
    there = machine("mole", talk("a", "the word xylograph", "and more"), talk("c", "lantern"))
    there.push()
    here.push()
    ignore = Ignore(forgotten=frozenset({session_digest("a")}))
    if cached:
        forget(here.cache, "a")
    here.push(ignore=ignore)
    left = [path for path in tmp_path.rglob("*") if path.is_file() and "store" not in path.parent.name]
    kept = [path for path in left if b"xylograph" in path.read_bytes() and not path.is_relative_to(there.cache)]
    assert kept == []
    assert not list((tmp_path / "xdg").rglob(STORES)), "what was read of the store is below the cache of the push"
    assert any((there.cache / STORES).iterdir())


def test_the_last_generation_there_can_be_is_told(machine: Callable[..., Machine], url: str) -> None:
    here = machine("quay", talk("a", "lantern"))
    here.push()
    with RemoteFolder(ObjectStore(url)) as folder:
        manifest = newest_manifest(folder)
        last = replace(manifest, generation=LAST_GENERATION)
        put(f"{url.removeprefix('memory:/')}/{last.name}", last.encode())
        folder.unlink(manifest.name)
    before = contents(url)
    here.write(talk("a", "lantern"), talk("b", "lantern"))
    with pytest.raises(IndexNotSavedError, match="none can follow"):
        here.push()
    assert contents(url) == before
    assert found(url, "lantern") == [("a", "quay")]


def test_names_of_machines(url: str) -> None:
    for host, user in (("", "ana"), ("quay", " "), ("quay\n", "ana"), ("quay", "a" * 101)):
        with pytest.raises(ValueError, match="must be a name"):
            MachineName(host, user)
    assert str(MachineName("quay", "ana")) == "ana@quay"


def test_random_pushes_equal_an_obvious_model(machine: Callable[..., Machine], url: str) -> None:
    """The store holds, of each session of any machine that nobody forgot, the newest copy."""
    chance = Random(5)
    machines = [machine(f"host{number}", cached=bool(number % 2 == 0)) for number in range(3)]
    machines[1].cached = True
    truth: dict[str, dict[str, Session]] = {one.name.host: {} for one in machines}
    pushed: dict[str, dict[str, Session]] = {one.name.host: {} for one in machines}
    forgot: dict[str, set[str]] = {one.name.host: set() for one in machines}
    told: dict[str, set[str]] = {one.name.host: set() for one in machines}
    for step in range(25):
        one = chance.choice(machines)
        host = one.name.host
        mine = truth[host]
        for _ in range(chance.randint(1, 3)):
            key = f"s{chance.randrange(6)}"
            if chance.random() < 0.25:
                mine.pop(key, None)
            else:
                mine[key] = talk(key, f"word{step}", "rope", day=step + 1)
        if chance.random() < 0.2:
            key = f"s{chance.randrange(6)}"
            if key in forgot[host]:
                take_back(one.cache, key)
                forgot[host].discard(key)
            else:
                forget(one.cache, key)
                forgot[host].add(key)
        one.write(*mine.values())
        one.push()
        pushed[host], told[host] = dict(mine), set(forgot[host])
        gone = set().union(*told.values())
        for other in pushed.values():
            for key in gone:
                other.pop(key, None)
        newest: dict[str, str] = {}
        for name in sorted(pushed):
            for key, each in pushed[name].items():
                word = str(each.messages[0].parts[0].text)
                if key not in newest or int(word[4:]) > int(newest[key][4:]):
                    newest[key] = word
        assert {key for key, _ in found(url, "rope", results=50)} == set(newest), step
        for key, word in newest.items():
            assert key in {name for name, _ in found(url, word, results=50)}, step
