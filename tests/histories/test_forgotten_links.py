"""The id of a forgotten session stays in no file, also not as the parent, origin or beginning of another session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from recall_rank import Recall
from recall_rank.histories.ignore import Ignore
from recall_rank.histories.records.forgotten import forget
from recall_rank.histories.records.left_out import session_digest
from recall_rank.histories.removal.withdraw import withdraw
from recall_rank.loaders import open_sources
from recall_rank.loaders.history_jsonl import HistoryJsonl
from recall_rank.model import ResolvedSessions, Session
from recall_rank.shards.building.build import build_shards
from tests.support.frontends.picker import write_history
from tests.support.search.samples import message, session
from tests.support.shards.inline_workers import InlineWorkers

GONE = "sess-zebrafish"
FAMILY = {"child": "parent", "fork": "forked_from", "later": "continues"}


def family() -> list[Session]:
    """A session, and one for each way to name it."""
    alone = [session(name, message(f"{name}.1", f"the {name} speaks")) for name in (GONE, *FAMILY)]
    return [alone[0], *(replace(one, **{FAMILY[one.id]: GONE}) for one in alone[1:])]  # type: ignore[arg-type]


def is_in(folder: Path, text: str = GONE) -> bool:
    return any(text.encode() in path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def history(tmp_path: Path) -> Path:
    path = tmp_path / "history" / "family.jsonl"
    path.parent.mkdir()
    write_history(path, family())
    return path


def by_withdrawing(cache: Path, _: Path) -> None:
    withdraw(cache)


def by_refreshing(cache: Path, history: Path) -> None:
    with Recall(open_sources(history), cache) as recall:
        recall.refresh()


@pytest.mark.parametrize("way", [by_withdrawing, by_refreshing])
@pytest.mark.parametrize("grows", [False, True], ids=["alone", "grown"])
def test_no_file_of_the_cache_has_the_id(
    tmp_path: Path, history: Path, way: Callable[[Path, Path], None], grows: bool
) -> None:
    cache = tmp_path / "cache"
    by_refreshing(cache, history)
    if grows:  # an older copy of the child stays, deleted, in the first segment
        first, child, *others = family()
        grown = replace(child, messages=(*child.messages, message("child.2", "and more")))
        write_history(history, [first, grown, *others])
        by_refreshing(cache, history)
    assert is_in(cache)
    forget(cache, GONE)
    way(cache, history)
    assert not is_in(cache)
    with Recall(open_sources(history), cache) as recall:
        recall.refresh()
        assert {each.id for each in recall.sessions()} == set(FAMILY)
        assert recall.search("speaks").total == len(FAMILY)
    assert not is_in(cache)


@pytest.mark.parametrize("way", [by_withdrawing, by_refreshing])
def test_sessions_that_only_the_cache_has_lose_the_id(
    tmp_path: Path, history: Path, way: Callable[[Path, Path], None]
) -> None:
    cache = tmp_path / "cache"
    with Recall(open_sources(history), cache, keep_vanished=True) as recall:
        recall.refresh()
    write_history(history, family()[:1])
    by_refreshing(cache, history)
    forget(cache, GONE)
    way(cache, history)
    assert not is_in(cache)
    with Recall(open_sources(history), cache) as recall:
        assert {each.id for each in recall.sessions()} == set(FAMILY)


def test_an_index_in_memory_does_not_tell_the_id(history: Path) -> None:
    with Recall(open_sources(history), ignore=Ignore(forgotten=frozenset({session_digest(GONE)}))) as recall:
        assert {(each.parent, each.forked_from, each.continues) for each in recall.sessions()} == {(None, None, None)}
        assert GONE not in str(recall.search("speaks").to_dict())


def test_links_that_a_source_adds_later_do_not_tell_the_id(tmp_path: Path, history: Path) -> None:
    class Late(HistoryJsonl):
        """A source that knows only in the end where a session came from."""

        resolves = True

        def resolve_sessions(self, sessions: Sequence[Session]) -> ResolvedSessions:
            return ResolvedSessions([replace(each, parent=GONE) for each in sessions])

        resolve_across = resolve_sessions

    cache = tmp_path / "cache"
    for turn in range(2):
        with Recall([Late(history)], cache) as recall:
            recall.refresh()
        assert is_in(cache) == (turn == 0)
        forget(cache, GONE)


def test_no_file_of_a_build_has_the_id(tmp_path: Path, history: Path) -> None:
    out = tmp_path / "out"
    build_shards([str(history)], out, 2, InlineWorkers())
    assert is_in(out)
    build_shards([str(history)], out, 2, InlineWorkers(), ignore=Ignore(forgotten=frozenset({session_digest(GONE)})))
    assert not is_in(out)
    assert is_in(out, "child")
