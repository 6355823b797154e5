"""A source of another package that is broken somewhere is reported, and hides no other source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self, cast

import pytest

from recall_rank import Recall
from recall_rank.histories.cache.first_part import first_part
from recall_rank.histories.unit_reader import UnitReader
from recall_rank.model import BaseSource, Message, Part, Reading, ResolvedSessions, Session, Unit
from tests.support.search.samples import NOW


class Kiosk(BaseSource):
    """A source of two sessions, of which one member raises an error, or returns what it should not."""

    resolves = True
    copy_group = "kiosks"

    def __init__(self, name: str, broken: str = "") -> None:
        self.name, self.location, self.broken = name, f"/{name}", broken

    def _reach(self, member: str) -> None:
        if member == self.broken:
            raise RuntimeError(f"a bug in {member}")

    def units(self) -> Iterable[Unit]:
        self._reach("units")
        return [Unit(key, f"{self.location}/{key}") for key in ("a", "b")]

    def signature(self, unit: Unit) -> bytes:
        self._reach("signature")
        return b"1"

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        self._reach("read")
        if self.broken == "reading":
            return cast("Reading", None)
        key = f"{self.name}-{unit.key}"
        said = Message(f"{key}m", "user", NOW, (Part(f"{key}p", "text", f"the lantern of {key}"),))
        return Reading([Session(key, (said,), updated=NOW)])

    def __enter__(self) -> Self:
        self._reach("enter")
        return self

    def __exit__(self, *problem: object) -> None:
        self._reach("exit")

    def files(self) -> Iterable[str] | None:
        self._reach("files")
        return None

    def resolve_sessions(self, sessions: Sequence[Session]) -> ResolvedSessions:
        self._reach("resolve_sessions")
        return ResolvedSessions([] if self.broken == "resolved" else sessions)

    def resolve_across(self, sessions: Sequence[Session]) -> ResolvedSessions:
        self._reach("resolve_across")
        return ResolvedSessions([] if self.broken == "resolved_across" else sessions)

    def related_ids(self, session: Session) -> Iterable[str | None]:
        self._reach("related_ids")
        yield "sound-a" if self.broken.endswith("across") and self.name == "broken" else None


UNREAD = ("units", "read", "reading")
UNASKED = ("signature", "related_ids")  # by a search in memory; without a signature the unit is read each time
MEMBERS = (
    *UNREAD, *UNASKED, "enter", "exit", "files", "resolve_sessions", "resolved", "resolve_across", "resolved_across"
)  # fmt: skip


@pytest.mark.parametrize("cached", [False, True], ids=["in memory", "on disk"])
@pytest.mark.parametrize("broken", MEMBERS)
def test_a_broken_source_is_reported_and_hides_no_other(tmp_path: Path, broken: str, *, cached: bool) -> None:
    sources = [Kiosk("broken", broken), Kiosk("sound")]
    for _ in range(2):  # what is told is told again when nothing has changed
        with Recall(sources, cache=tmp_path if cached else None) as recall:
            if cached:
                recall.refresh()
            answer = recall.search("lantern", now=NOW)
        found = {hit.session_id for hit in answer.results}
        assert found == {"sound-a", "sound-b", *(() if broken in UNREAD else ("broken-a", "broken-b"))}
        assert bool(answer.load_errors) == (broken != "signature" and (cached or broken not in UNASKED))
        assert all(error.startswith("broken: /broken") for error in answer.load_errors)


@pytest.mark.parametrize("broken", MEMBERS)
def test_a_first_part_of_a_broken_source_is_chosen(broken: str) -> None:
    assert first_part([Kiosk("broken", broken), Kiosk("sound")], 1) is None


@pytest.mark.parametrize("broken", ["resolve_sessions", "resolved", "resolve_across", "resolved_across"])
def test_sessions_whose_copies_cannot_be_resolved_are_told_by_the_error(broken: str) -> None:
    source, reader, sessions = Kiosk("broken", broken), UnitReader(), []
    for unit in source.units():
        reading: Any = source.read(unit)
        reader.note(source, unit, reading)
        sessions += reading.sessions
    assert all(isinstance(each, Exception) for each in reader.read_counted(sessions))


class Unsigned(Kiosk):
    """A source without signatures: it cannot tell whether a unit has changed."""

    said = "the lantern"

    def signature(self, unit: Unit) -> bytes:
        return b""

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        said = Message(f"{unit.key}m", "user", NOW, (Part(f"{unit.key}p", "text", self.said),))
        return Reading([Session(unit.key, (said,), updated=NOW)])


@pytest.mark.parametrize("cached", [False, True], ids=["in memory", "on disk"])
def test_a_transcript_from_a_source_without_signatures_is_that_of_now(tmp_path: Path, *, cached: bool) -> None:
    source = Unsigned("unsigned")
    with Recall([source], cache=tmp_path if cached else None) as recall:
        assert recall.transcript("a").messages[0].parts[0].text == "the lantern"
        source.said = "the wick"
        assert recall.transcript("a").messages[0].parts[0].text == "the wick"
