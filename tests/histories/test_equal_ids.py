"""Sessions of two machines with one id: copies count once, different ones are found, read and forgotten alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recall_rank import Recall
from recall_rank.exchange.pulled import PulledSource
from recall_rank.frontends.cli.commands.cache.forget import forget_everywhere, one_session
from recall_rank.frontends.compaction.hook_machine import HookMachine
from recall_rank.histories.ignore import Ignore
from recall_rank.histories.records.forgotten import (
    FORGOTTEN,
    ForgottenSession,
    forget,
    forgotten_sessions,
    take_back,
)
from recall_rank.histories.records.left_out import named_digest, session_digest
from recall_rank.histories.records.session_copies import write_copy
from recall_rank.loaders import open_sources
from recall_rank.loaders.copies import copies_of_one
from recall_rank.model import Session, Source
from tests.support.frontends.picker import write_history
from tests.support.search.samples import message, session

ID = "20260528_1"


def talk(text: str, *more: str, created: int) -> Session:
    said = [message(f"{ID}:{at}", each, time=created + at) for at, each in enumerate((text, *more))]
    return replace(session(ID, *said), created=created, agent="goose", title=text)


GOAT, GATEWAY = talk("feed the goat", created=1000), talk("deploy the gateway", "at noon", created=2000)


class Machines:
    """This machine's history, and that of the machine quay as it was pulled."""

    def __init__(self, folder: Path, here: Iterable[Session], there: Iterable[Session]) -> None:
        self.folder = folder
        self.write("here", here)
        self.write("there", there)

    def write(self, name: str, sessions: Iterable[Session]) -> None:
        (self.folder / name).mkdir(exist_ok=True)
        write_history(self.folder / name / "history.jsonl", sessions)

    def sources(self) -> list[Source]:
        own, pulled = (open_sources(self.folder / name)[0] for name in ("here", "there"))
        return [own, PulledSource(pulled, "quay")]


def hosts(recall: Recall, query: str) -> list[str | None]:
    return sorted((hit.host for hit in recall.search(query, match="literal").results), key=str)


@pytest.fixture(params=[True, False], ids=["on disk", "in memory"])
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    return tmp_path / "cache" if request.param else None


def test_different_sessions_with_one_id_are_both_found_and_read(tmp_path: Path, cache: Path | None) -> None:
    machines = Machines(tmp_path, [GOAT], [GATEWAY])
    for _ in range(2):
        with Recall(machines.sources(), cache) as recall:
            assert (hosts(recall, "goat"), hosts(recall, "gateway")) == ([None], ["quay"])
            assert {each.host for each in recall.sessions()} == {None, "quay"}
            for name, text in ((f"{ID}@", "feed the goat"), (f"{ID}@quay", "deploy the gateway")):
                assert recall.transcript(name).messages[0].parts[0].text == text
            assert recall.session(ID).title == "feed the goat"  # this machine's, though it is older
            assert [node.session.host for node in recall.chain(ID).nodes] == [None]


def test_sessions_that_grow_or_vanish_leave_the_other_alone(tmp_path: Path) -> None:
    machines, cache = Machines(tmp_path, [GOAT], [GATEWAY]), tmp_path / "cache"
    with Recall(machines.sources(), cache, keep_vanished=True) as recall:
        recall.refresh()
        machines.write("there", [talk("deploy the gateway", "at noon", "and at night", created=2000)])
        recall.refresh()
        assert (hosts(recall, "goat"), hosts(recall, "night")) == ([None], ["quay"])
        machines.write("here", [])
        recall.refresh()
        assert (hosts(recall, "goat"), hosts(recall, "night")) == ([None], ["quay"])
        machines.write("there", [GATEWAY, GATEWAY])
        recall.refresh()
        assert recall.transcript(f"{ID}@").messages[0].parts[0].text == "feed the goat"


@pytest.mark.parametrize(
    "there",
    [
        GOAT,
        replace(GOAT, messages=(*GOAT.messages, message("more", "and hens")), updated=9000),
        replace(GOAT, title="renamed"),
        replace(GOAT, messages=(message("summary", "a summary of the goat"),)),
        replace(GOAT, created=3000),
    ],
    ids=["equal", "grown", "renamed", "compacted", "another time"],
)
def test_copies_count_once(tmp_path: Path, cache: Path | None, there: Session) -> None:
    with Recall(Machines(tmp_path, [GOAT], [there]).sources(), cache) as recall:
        assert len(recall.sessions()) == 1
        assert len(recall.search("goat", match="literal", group="session").results) == 1


def test_one_of_two_is_forgotten(tmp_path: Path) -> None:
    machines, cache = Machines(tmp_path, [GOAT], [GATEWAY]), tmp_path / "cache"
    with Recall(machines.sources(), cache) as recall:
        with pytest.raises(LookupError, match=f"2 sessions have the id {ID}, choose one of {ID}@, {ID}@quay"):
            one_session(recall, ID)
        found, others = one_session(recall, f"{ID}@quay")
        assert (found.title, others) == ("deploy the gateway", 1)
    forget_everywhere(cache, found, alone=not others)
    assert not any(b"gateway" in path.read_bytes() for path in cache.rglob("*") if path.is_file())
    with Recall(machines.sources(), cache) as recall:
        recall.refresh()
        assert (hosts(recall, "goat"), hosts(recall, "gateway")) == ([None], [])
        assert one_session(recall, ID)[1] == 0


def test_one_of_two_is_taken_back_by_its_id(tmp_path: Path) -> None:
    machines, cache = Machines(tmp_path, [GOAT], [GATEWAY]), tmp_path / "cache"
    for name in (f"{ID}@", f"{ID}@quay"):
        for undone in (ID, name):
            with Recall(machines.sources(), cache) as recall:
                found, others = one_session(recall, name)
            forget_everywhere(cache, found, alone=not others)
            assert ID.encode() not in (cache / FORGOTTEN).read_bytes()
            assert take_back(cache, undone) == forgotten_entry(found)
            assert forgotten_sessions(cache) == []


def forgotten_entry(found: Session) -> ForgottenSession:
    """The entry of a session that was forgotten today while another one had its id."""
    digest = named_digest(found)
    return ForgottenSession(digest, f"{datetime.now(UTC):%Y-%m-%d}", "goose", digest, session_digest(ID))


def test_when_both_are_forgotten_a_digest_takes_one_back(tmp_path: Path) -> None:
    for one in (GOAT, GATEWAY):
        forget(tmp_path, ID, named=named_digest(one), alone=False)
    assert take_back(tmp_path, ID) is None
    taken = take_back(tmp_path, named_digest(GOAT))
    assert taken is not None
    assert (taken.digest, taken.id_digest) == (named_digest(GOAT), session_digest(ID))


def test_what_compact_kept_of_one_of_two_goes_with_it(tmp_path: Path) -> None:
    machines, cache = Machines(tmp_path, [GOAT], [GATEWAY]), tmp_path / "cache"
    with Recall(machines.sources(), cache) as recall:
        found, others = one_session(recall, f"{ID}@")
    copy = write_copy(cache, ID, b"feed the goat")
    stays = write_copy(cache, "another", b"feed the hens")
    forget_everywhere(cache, found, alone=not others)
    assert (copy.exists(), stays.exists()) == (False, True)
    machine = HookMachine({}, tmp_path, cache, cache, Ignore())
    assert (machine.is_forgotten(ID), machine.is_forgotten("another")) == (True, False)


def test_two_accounts_of_a_machine_are_two(tmp_path: Path, cache: Path | None) -> None:
    """As in an export of an index that several machines share."""
    both = [replace(GOAT, host="mole", user="ana"), replace(GATEWAY, host="mole", user="sam")]
    for name, one in zip("ab", both, strict=True):
        (tmp_path / name).mkdir()
        write_history(tmp_path / name / "history.jsonl", [one])
    with Recall([open_sources(tmp_path / name)[0] for name in "ab"], cache) as recall:
        for query, user in (("goat", "ana"), ("gateway", "sam")):
            assert [hit.user for hit in recall.search(query, match="literal").results] == [user]


@pytest.mark.parametrize(
    ("machine", "one", "two"),
    [
        ("mole", {"user": "ana"}, {"user": "sam"}),
        (None, {"agent": "goose"}, {"agent": "quill"}),
        ("mole", {"user": "ana", "agent": "goose"}, {"user": "ana", "agent": "quill"}),
    ],
    ids=["accounts", "agents", "agents of an account"],
)
def test_one_of_two_on_a_machine_is_forgotten(
    tmp_path: Path, machine: str | None, one: dict[str, str], two: dict[str, str]
) -> None:
    both = [replace(GOAT, host=machine, **one), replace(GATEWAY, host=machine, **two)]  # type: ignore[arg-type]
    for name, each in zip("ab", both, strict=True):
        (tmp_path / name).mkdir()
        write_history(tmp_path / name / "history.jsonl", [each])
    sources, cache = [open_sources(tmp_path / name)[0] for name in "ab"], tmp_path / "cache"
    names = [f"{ID}@{list(each.values())[-1]}@{machine or ''}" for each in (one, two)]
    with Recall(sources, cache) as recall:
        for several in (ID, f"{ID}@{machine or ''}", ID[:-1]):
            with pytest.raises(LookupError, match=f"2 sessions have the id {ID}, choose one of {', '.join(names)}$"):
                one_session(recall, several)
        found, others = one_session(recall, names[1])
        assert (found.title, others) == ("deploy the gateway", 1)
    forget_everywhere(cache, found, alone=not others)
    with Recall(sources, cache) as recall:
        assert [each.title for each in recall.sessions()] == ["feed the goat"]
        assert one_session(recall, ID)[1] == 0
    assert take_back(cache, names[1])


def test_two_agents_with_accounts_have_names_of_both(tmp_path: Path) -> None:
    made = [("goose", "ana"), ("goose", "sam"), ("quill", "ana")]
    for number, (agent, user) in enumerate(made):
        (tmp_path / str(number)).mkdir()
        one = replace(GOAT, host="mole", agent=agent, user=user, created=1000 * (number + 1), title=agent)
        write_history(tmp_path / str(number) / "history.jsonl", [replace(one, messages=(message(user, user + agent),))])
    with Recall([open_sources(tmp_path / str(number))[0] for number in range(3)]) as recall:
        with pytest.raises(LookupError, match=f"3 sessions .* {ID}@goose@ana@mole, {ID}@quill@mole, {ID}@sam@mole$"):
            one_session(recall, f"{ID}@ana@mole")
        assert one_session(recall, f"{ID}@goose@ana@mole")[0].title == "goose"


def grouped(sessions: Sequence[Session]) -> list[list[int]]:
    return sorted(copies_of_one(sessions, lambda at: sessions[at].title or ""))


def test_what_is_a_copy() -> None:
    def of(host: str | None, created: int, begins: str, user: str | None = None) -> Session:
        return Session(ID, title=begins, created=created, host=host, user=user)

    assert grouped([of("a", 1, "x"), of("b", 2, "y")]) == [[0], [1]]
    assert grouped([of("a", 1, "x"), of("a", 2, "y")]) == [[0, 1]]  # one machine has one session with an id
    assert grouped([of("a", 1, "x", "ana"), of("a", 2, "y", "sam")]) == [[0], [1]]
    assert grouped([of("a", 1, "x"), of("b", 1, "y")]) == [[0, 1]]
    assert grouped([of("a", 0, "x"), of("b", 2, "y")]) == [[0, 1]]
    assert grouped([of("a", 1, "x"), of("b", 2, "x")]) == [[0, 1]]
    assert grouped([of("a", 1, ""), of("b", 2, "")]) == [[0], [1]]
    assert grouped([of("a", 1, "x"), of("b", 2, "y"), of("c", 1, "z"), of("d", 2, "x")]) == [[0, 1, 2, 3]]
