"""Chains of fictional stores, read in memory and through a cache."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from recall_rank.histories.chains.figures import SessionFigures
from recall_rank.loaders import open_source
from recall_rank.model import BaseSource, Reading, Session, Unit
from recall_rank.recall import Recall
from tests.fixtures import make_chat_stores, make_codex, make_fixtures, make_hermes, make_pi

Made = Callable[[Path], Path]
ROWS = dict[str, tuple[str, str | None, int | None, int | None]]


def memo(folder: Path) -> Path:
    return make_chat_stores.write_memo(folder / "memo" / "sessions.db")


def shape(recall: Recall, wanted: str) -> ROWS:
    """Return of each session of a chain, by id: relation, the session above it, rounds and messages."""
    chain = recall.chain(wanted)
    assert chain.total == len(chain.nodes)
    return {
        node.session.id: (
            node.relation,
            None if node.above is None else chain.nodes[node.above].session.id,
            node.figures.rounds,
            node.figures.messages,
        )
        for node in chain.nodes
    }


# The messages that are counted are those that are not copied from the session above.
@pytest.mark.parametrize(
    ("make", "wanted", "rows"),
    [
        pytest.param(
            memo,
            "Paint the tower",
            {key: (relation, above) for key, relation, above in zip(
                make_chat_stores.memo_chain(),
                ("root", "compression", "compression"),
                (None, *make_chat_stores.memo_chain()),
                strict=False,
            )},
            id="memo-agent",
        ),
        pytest.param(
            make_hermes.write_hermes,
            make_hermes.AFTER,
            {
                make_hermes.MAIN: ("root", None),
                make_hermes.AFTER: ("compression", make_hermes.MAIN),
                make_hermes.SCOUT: ("subagent", make_hermes.MAIN),
            },
            id="hermes",
        ),
        pytest.param(
            make_fixtures.write_claude,
            make_fixtures.FORK,
            {
                make_fixtures.MAIN: ("root", None),
                make_fixtures.FORK: ("fork", make_fixtures.MAIN),
                make_fixtures.AGENT: ("subagent", make_fixtures.MAIN),
            },
            id="claude-code",
        ),
        pytest.param(
            make_pi.write_pi,
            make_pi.FORK,
            {make_pi.SECOND: ("root", None), make_pi.FORK: ("fork", make_pi.SECOND)},
            id="pi",
        ),
        pytest.param(
            make_codex.write_codex,
            make_codex.SPAWNED,
            {
                make_codex.MAIN: ("root", None),
                make_codex.FORK: ("fork", make_codex.MAIN),
                make_codex.SPAWNED: ("subagent", make_codex.MAIN),
            },
            id="codex",
        ),
        pytest.param(
            make_fixtures.write_opencode,
            "ses_b",
            {"ses_a": ("root", None), "ses_b": ("subagent", "ses_a")},
            id="opencode",
        ),
    ],
)  # fmt: skip
def test_the_tree_of_each_store(
    tmp_path: Path, make: Made, wanted: str, rows: dict[str, tuple[str, str | None]]
) -> None:
    store = make(tmp_path / "store")
    with Recall([open_source(store)]) as recall:
        found = shape(recall, wanted)
        counted = {session.id: len(session.messages) for session in recall._backend.inventory().sessions or ()}
    assert {key: row[:2] for key, row in found.items() if key in rows} == rows
    assert all(above in found for _, above, *_ in found.values() if above is not None)
    assert {key: row[3] for key, row in found.items()} == {key: counted[key] for key in found}
    with Recall([open_source(store)], cache=tmp_path / "cache") as kept:
        kept.refresh()
        assert shape(kept, wanted) == found
    with Recall([open_source(store)]) as indexed:
        indexed.refresh()  # the messages are in the index now, and are read again for a chain
        assert shape(indexed, wanted) == found


def test_rounds_of_a_compressed_conversation_count_once(tmp_path: Path) -> None:
    said = [message for messages in make_chat_stores.memo_chain().values() for message in messages]
    typed = {words for role, words in said if role == "user" and not words.startswith("[Previous")}
    with Recall([open_source(memo(tmp_path))]) as recall:
        assert sum(rounds or 0 for _, _, rounds, _ in shape(recall, "Paint the tower").values()) == len(typed)


def test_a_session_that_cannot_be_read_has_a_note(tmp_path: Path) -> None:
    store = make_fixtures.write_claude(tmp_path / "store")
    with Recall([open_source(store)], cache=tmp_path / "cache") as recall:
        recall.refresh()
        next(store.rglob(f"{make_fixtures.FORK}.jsonl")).unlink()
        chain = recall.chain(make_fixtures.MAIN)
    (fork,) = (node for node in chain.nodes if node.session.id == make_fixtures.FORK)
    assert fork.figures == SessionFigures()
    assert any(note.startswith(f"session {make_fixtures.FORK} cannot be read: ") for note in chain.notes)


def test_a_kept_session_that_its_source_lost_is_counted_from_the_index(tmp_path: Path) -> None:
    store = make_fixtures.write_claude(tmp_path / "store")
    with Recall([open_source(store)], cache=tmp_path / "cache", keep_vanished=True) as recall:
        recall.refresh()
        before = shape(recall, make_fixtures.MAIN)
        next(store.rglob(f"{make_fixtures.FORK}.jsonl")).unlink()
        recall.refresh()
        assert shape(recall, make_fixtures.MAIN) == before


class Quarry(BaseSource):
    """A root with many children in one unit; `reads` counts how often it was read."""

    name = "quarry"
    location = "memory"

    def __init__(self, children: int) -> None:
        self.reads = 0
        self._sessions = [
            Session(f"stone-{at:05}", title=f"Stone {at}", parent="stone-00000" if at else None, created=at + 1)
            for at in range(children + 1)
        ]

    def units(self) -> list[Unit]:
        return [Unit("all", "memory")]

    def signature(self, unit: Unit) -> bytes:
        return b"1"

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        self.reads += 1
        return Reading(self._sessions)


def test_a_unit_with_many_sessions_is_read_once() -> None:
    source = Quarry(2_000)
    with Recall([source]) as recall:
        recall.refresh()
        reads = source.reads
        chain = recall.chain("stone-00000", limit=500)
    assert (len(chain.nodes), chain.total, chain.nodes[0].left_out) == (500, 2_001, 1_501)
    assert source.reads <= reads + 1


def test_an_unknown_session_and_a_wrong_limit(tmp_path: Path) -> None:
    with Recall([open_source(memo(tmp_path))]) as recall:
        with pytest.raises(LookupError, match="no session has an id or title like 'heron'"):
            recall.chain("heron")
        with pytest.raises(ValueError, match="limit must be 1 or more"):
            recall.chain("Paint the tower", limit=0)


def test_copies_in_another_store_of_the_agent_count_once(tmp_path: Path) -> None:
    for name, key in (("one", make_fixtures.MAIN), ("two", make_fixtures.FORK)):
        store = make_fixtures.write_claude(tmp_path / name)
        for path in store.rglob("*.jsonl"):
            if path.stem != key:
                path.unlink()
        shutil.rmtree(store / "unrelated", ignore_errors=True)
    stores = [tmp_path / "one", tmp_path / "two"]
    with Recall([open_source(store) for store in stores]) as recall:
        found = shape(recall, make_fixtures.FORK)
        assert found[make_fixtures.FORK][3] == 1
    with Recall([open_source(store) for store in stores], cache=tmp_path / "cache") as kept:
        kept.refresh()
        assert shape(kept, make_fixtures.FORK) == found
