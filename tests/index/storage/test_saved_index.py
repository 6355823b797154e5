"""An index on disk answers as the one in memory that was saved."""

from __future__ import annotations

import gc
from functools import partial
from pathlib import Path
from time import monotonic_ns
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.corpus import Index
from recall_rank.index.reader import literal_scan
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.segment import Segment
from recall_rank.index.storage import packed_text
from recall_rank.index.storage.mapped_segment import MappedSegment
from recall_rank.index.storage.publish import open_generation
from recall_rank.index.storage.segment_file import SegmentFile
from recall_rank.model import Context, Match, Session
from recall_rank.search.deadline import Deadline
from recall_rank.search.options import Options
from recall_rank.search.query import Query
from recall_rank.search.retrieval.literal import text_hits
from tests.support.examples import examples
from tests.support.index.history import answers, history, told
from tests.support.search.samples import NOW, ask, message, part, session
from tests.support.search.strategies import histories, query

modes = st.sampled_from(("literal", "smart", "fuzzy"))
filters = st.fixed_dictionaries(
    {},
    optional={
        "group": st.just("session"),
        "order": st.just("time"),
        "directory": st.sampled_from(("/a", "/a/b")),
        "fallback": st.booleans(),
        "type": st.sampled_from(("text", "tool", "reasoning")),
        "role": st.sampled_from(("user", "assistant")),
        "must": st.just(("lantern",)),
        "title": st.just("l"),
        "project": st.just("harbor"),
        "tool_name": st.just("bash"),
        "explain": st.just(True),
        "results": st.integers(1, 5),
        "last": st.just("2d"),
        "context": st.just(Context(session_id="s0", directory="/a")),
    },
).filter(lambda chosen: chosen.get("type", "tool") == "tool" or "tool_name" not in chosen)


@examples(60)
@given(histories(), st.lists(st.tuples(query, modes, filters), min_size=1, max_size=4))
def test_a_saved_index_answers_as_the_one_in_memory(
    tmp_path_factory: pytest.TempPathFactory, given: list[Session], asked: list[tuple[str, str, dict[str, Any]]]
) -> None:
    index = Index.build(given)
    folder = tmp_path_factory.mktemp("index")
    index.save(folder)
    with Index.open(folder) as opened:
        assert len(opened) == len(index)
        for text, mode, options in asked:
            wanted = told(ask(index, text, match=mode, **options))
            assert told(ask(opened, text, match=mode, **options)) == wanted


def test_every_mode_answers_alike(tmp_path: Path) -> None:
    index = Index.build(history())
    index.save(tmp_path / "index")
    opened = Index.open(tmp_path / "index")
    assert answers(opened) == answers(index)
    assert any(answer["results"] for answer in answers(index))


def test_columns_and_scores_are_those_in_memory(tmp_path: Path) -> None:
    index = Index.build(history())
    index.save(tmp_path)
    with Index.open(tmp_path) as opened:
        assert opened.scores("lantern").tolist() == index.scores("lantern").tolist()
        columns = opened.columns
    assert {name: column.tolist() for name, column in columns.items()} == {
        name: column.tolist() for name, column in index.columns.items()
    }  # and they outlive the index
    assert not columns["part_message"].flags.writeable


@pytest.mark.parametrize("sessions", [[], [session("s")], [session("s", "")]], ids=["none", "no message", "no word"])
def test_an_index_of_nothing_is_saved_too(tmp_path: Path, sessions: list[Session]) -> None:
    Index.build(sessions).save(tmp_path)
    with Index.open(tmp_path, verify=True) as opened:
        assert len(opened) == len(Index.build(sessions))
        assert ask(opened, "lantern").total == 0


def test_rows_of_sessions_come_back(tmp_path: Path) -> None:
    odd = [
        Session("\ud800", (), title="\0", directory="", project="", worktree="/w", parent="p", agent=None, source="x"),
        Session("", (), title=None, project=None, created=-(10**30), updated=10**30),
    ]
    index = Index.build(odd)
    index.save(tmp_path)
    rows, opened = segment_of(index).sessions, segment_of(Index.open(tmp_path)).sessions
    assert list(opened) == list(rows)
    assert opened[-1] == rows[-1]
    assert opened[:1] == list(rows[:1])
    assert opened[1] is opened[1]
    with pytest.raises(IndexError):
        opened[2]


def test_ids_come_back_whatever_they_share(tmp_path: Path) -> None:
    long = "s" * 300
    told_of = [
        session(
            long, message(long, part(long, "keel"), part(f"{long}x", "keel")), message(f"{long}y", part("", "keel"))
        ),
        session("", message("", part("", "keel"), part("p", "keel")), message("m")),
        session("\ud800", message("\ud800\udc00", part("\ud800\udc00\udfff", "keel"), part("é", "keel"))),
        session("é", message("è", part("è", "keel"))),  # the same first byte of two
    ]
    index = Index.build(told_of)
    index.save(tmp_path)
    kept, opened = segment_of(index), segment_of(Index.open(tmp_path, verify=True))
    for ids, wanted in ((opened.message_ids, kept.message_ids), (opened.part_ids, kept.part_ids)):
        every = [wanted[number] for number in range(len(wanted))]
        assert [ids[number] for number in range(len(ids))] == every
        assert [ids.decode_range(first, len(ids)) for first in range(len(ids) + 1)] == [
            every[first:] for first in range(len(ids) + 1)
        ]
        assert [bytes(memoryview(one)) for one in ids.buffers()] == [bytes(memoryview(one)) for one in wanted.buffers()]
    for number, holder in enumerate(kept.message_session):
        assert opened.message_ids.with_owner(number, kept.sessions[holder].id) == kept.message_ids[number]
    for number, holder in enumerate(kept.part_message):
        assert opened.part_ids.with_owner(number, kept.message_ids[holder]) == kept.part_ids[number]


@examples(60)
@given(histories())
def test_columns_come_back(tmp_path_factory: pytest.TempPathFactory, given: list[Session]) -> None:
    folder = tmp_path_factory.mktemp("index")
    index = Index.build(given)
    index.save(folder)
    kept, opened = segment_of(index), segment_of(Index.open(folder))
    for name in Segment.__slots__:
        column = getattr(kept, name)
        if isinstance(column, memoryview):
            assert (getattr(opened, name).format, getattr(opened, name)) == (column.format, column), name
    forms = [kept.vocabulary.form(number) for number in range(kept.terms)]
    assert [opened.vocabulary.form(number) for number in range(opened.terms)] == forms


def test_an_opened_index_is_saved_again(tmp_path: Path) -> None:
    index = Index.build(history())
    index.save(tmp_path / "a")
    with Index.open(tmp_path / "a") as opened:
        opened.save(tmp_path / "b")
        opened.save(tmp_path / "a")  # in its own place, while it is open
        assert answers(opened) == answers(index)
    files = [next((tmp_path / name).glob("segment-*")).read_bytes() for name in "ab"]
    assert files[0] == files[1]
    assert open_generation(tmp_path / "a").manifest.generation == 2


def test_opening_reads_no_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Index.build(history()).save(tmp_path)

    def read(*_: object) -> None:
        raise AssertionError("a column is read")

    monkeypatch.setattr(SegmentFile, "verify", read)
    opened = Index.open(tmp_path)
    assert segment_of(opened).parts == 6 * 14
    assert segment_of(opened).docs > segment_of(opened).parts
    assert segment_of(opened).messages == 6 * 14
    with pytest.raises(AssertionError, match="a column is read"):
        opened.search("lantern")


def test_blocks_of_the_text_are_read_where_they_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_text, "SETTLED_BYTES", 1 << 40)
    Index.build(history()).save(tmp_path)
    segment = segment_of(Index.open(tmp_path))
    assert isinstance(segment, MappedSegment)
    blocks = segment._file._verified["text"]
    assert len(blocks) > 2
    text = segment.text_for([(4_090, 4_100)])
    assert list(blocks[:3]) == [1, 1, 0]
    assert len(text) == len(segment.text)
    assert all(blocks)


@pytest.mark.slow
@pytest.mark.parametrize("match", ["literal", "regex"])
def test_text_is_verified_no_faster_than_there_is_time(tmp_path: Path, match: Match) -> None:
    """All of it was verified before the first look at it, whatever the deadline: 25 ms for one of 1 ms."""
    large = [session(f"s{n}", *(message(f"m{n}.{k}", "lantern wick " * 20_000) for k in range(2))) for n in range(10)]
    Index.build(large).save(tmp_path)
    segment = segment_of(Index.open(tmp_path))
    assert isinstance(segment, MappedSegment)
    blocks = segment._file._verified["text"]
    readings = iter([monotonic_ns()] * 3)  # when it begins, and at two of its steps
    clock = partial(next, readings, 2**62)
    deadline = Deadline(60_000.0, clock)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(literal_scan, "monotonic_ns", clock)
        _, looked = text_hits(IndexReader([segment]), Query.parse("zq", NOW, Options(match=match)), None, deadline)
    assert 0 < looked < segment.parts
    assert 0 < sum(blocks) < len(blocks) // 2


@pytest.mark.slow
def test_threads_share_one_layout(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    index = Index.build(history())
    index.save(tmp_path)
    wanted = told(ask(index, "lantren", match="fuzzy"))
    for _ in range(5):
        opened = Index.open(tmp_path)
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _, one=opened: told(ask(one, "lantren", match="fuzzy")), range(8)))
        assert found == [wanted] * 8


@pytest.mark.parametrize("kind", ["memory", "disk"])
def test_a_closed_index_answers_nothing(tmp_path: Path, kind: str) -> None:
    index = Index.build(history())
    index.save(tmp_path)
    if kind == "disk":
        index = Index.open(tmp_path)
    ask(index, "lantern")
    index.close()
    index.close()
    with pytest.raises(ValueError, match="this index is closed"):
        index.search("lantern", now=NOW)
    with pytest.raises(ValueError, match="this index is closed"):
        len(index)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="the system does not tell what is mapped")
def test_closing_lets_go_of_the_file(tmp_path: Path) -> None:
    Index.build(history()).save(tmp_path)
    with Index.open(tmp_path) as opened:
        ask(opened, "lantern")
        assert str(tmp_path) in Path("/proc/self/maps").read_text(encoding="utf-8")
    gc.collect()
    assert str(tmp_path) not in Path("/proc/self/maps").read_text(encoding="utf-8")


def segment_of(index: Index) -> Segment:
    return index._merged()
