"""An index that was changed answers as one that was built from the sessions that it has now."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.corpus import Index
from recall_rank.index.errors import IndexNotSavedError
from recall_rank.index.live import live_segments
from recall_rank.index.live.live_segments import LiveSegments
from recall_rank.index.segment.build import build
from recall_rank.index.storage.publish import open_generation
from recall_rank.loaders import open_sources
from recall_rank.model import Message, Part, SearchResponse, Session
from recall_rank.recall import Recall
from tests.support.examples import examples
from tests.support.search.samples import NOW, ask, message, part, parts, session
from tests.support.search.strategies import histories, query

MOST_DIFFERENT = 1e-6  # of scores: the same sums, but not always of the same terms at once
OPTIONS: list[dict[str, Any]] = [
    {"match": "smart", "explain": True},
    {"match": "fuzzy", "group": "session"},
    {"match": "literal", "order": "time", "results": 3},
    {"match": "smart", "results": 2, "offset": 1, "role": "user", "must_not": ("limit",)},
]
kinds = st.sampled_from(("add", "append", "append", "append", "remove", "save"))
steps = st.lists(st.tuples(kinds, st.integers(0, 9), st.integers(1, 3)), min_size=1, max_size=14)
TWICE = [session("two", "keel", source="one"), session("two", "quay", source="other")]


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments are merged, and sessions settle, after a few changes."""
    monkeypatch.setattr(live_segments, "MOST_GROWING", 2)
    monkeypatch.setattr(live_segments, "MOST_SETTLED", 2)
    monkeypatch.setattr(live_segments, "MOST_SAVED", 2)
    monkeypatch.setattr(live_segments, "WORN", 1)
    monkeypatch.setattr(live_segments, "FEW", 5)


def told(response: SearchResponse) -> dict[str, Any]:
    """Return all that a response says, but how long it took."""
    said = response.to_dict()
    return {name: value for name, value in said.items() if name not in ("elapsed_ms", "cpu_ms")}


def alike(one: object, other: object) -> bool:
    """Whether two answers are equal, numbers within MOST_DIFFERENT."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return one == pytest.approx(other, abs=MOST_DIFFERENT)
    return one == other


def answers_alike(changed: Index, sessions: list[Session], text: str) -> None:
    built = Index.build(sessions)
    assert len(changed) == len(built)
    assert changed.session_ids == built.session_ids
    for options in OPTIONS:
        found, wanted = told(ask(changed, text, **options)), told(ask(built, text, **options))
        assert alike(found, wanted), options


class Model:
    """The sessions that an index should have, after the changes that both were given."""

    def __init__(self, history: list[Session]) -> None:
        self.pool = {each.id: each for each in history}
        self.held: dict[str, Session] = {}
        self.ids = count()

    def change(self, index: Index, kind: str, which: int, size: int) -> None:
        absent = [key for key in self.pool if key not in self.held]
        present = list(self.held)
        if kind == "save":
            index.save()
        elif kind == "add" and absent:
            chosen = [absent[(which + at) % len(absent)] for at in range(min(size, len(absent)))]
            added = [replace(self.pool[key], messages=self.pool[key].messages[:which]) for key in chosen]
            index.add(added)
            self.held.update({each.id: each for each in added})
        elif kind == "append" and present:
            key = present[which % len(present)]
            old = self.held[key]
            donor = list(self.pool.values())[which % len(self.pool)]
            new = [replace(each, id=f"n{next(self.ids)}") for each in donor.messages[:size]]
            index.append(key, new)
            if new:
                times = [old.updated or max((each.time for each in old.messages), default=0), *(m.time for m in new)]
                self.held[key] = replace(old, messages=(*old.messages, *new), updated=max(times))
        elif kind == "remove" and present:
            gone = {present[(which + at) % len(present)] for at in range(min(size, len(present)))}
            index.remove(gone)
            self.held = {key: each for key, each in self.held.items() if key not in gone}


@pytest.mark.usefixtures("_small")
@examples(120)
@given(histories(), steps, query)
def test_changes_equal_a_build(history: list[Session], made: list[tuple[str, int, int]], text: str) -> None:
    model, index = Model(history), Index.build([])
    for kind, which, size in made:
        if kind != "save":
            model.change(index, kind, which, size)
    answers_alike(index, list(model.held.values()), text)


@pytest.mark.usefixtures("_small")
@examples(60)
@given(histories(), steps, query)
def test_saved_changes_equal_a_build(history: list[Session], made: list[tuple[str, int, int]], text: str) -> None:
    with TemporaryDirectory() as folder:
        model, index = Model(history), Index.open(Path(folder) / "index", create=True)
        for kind, which, size in made:
            model.change(index, kind, which, size)
        answers_alike(index, list(model.held.values()), text)
        index.save()
        with Index.open(Path(folder) / "index", create=True) as opened:
            answers_alike(opened, list(model.held.values()), text)


def test_every_append_is_found_at_once() -> None:
    index = Index.build([session("s", "the lantern"), session("t", "the keel")])
    for number in range(40):
        index.append("st"[number % 2], [message(f"n{number}", f"rudder{number} of the quay", time=NOW + number)])
        assert parts(ask(index, f"rudder{number} of", match="literal")) == [f"n{number}.1"]
    assert len(index) == 42
    assert index.session_ids == ["t", "s"]
    assert [each.id for each in index.indexed(["s"])[0].messages][:3] == ["s.0", "n0", "n2"]


def test_an_append_can_change_how_older_messages_are_indexed() -> None:
    said = [message("a", "where is the lantern", author="Odile"), message("b", "the lantern is here", author="Odile")]
    new = [message("c", "thanks for the lantern", author="Ann"), message("d", part("d.1", tool="bash", output="oil"))]
    for first in range(3):
        index = Index.build([Session("s", said[:first], title="Lantern", directory="/srv")])
        whole = list(said[:first])
        for each in (*said[first:], *new):
            index.append("s", [each])
            whole.append(each)
            answers_alike(index, [Session("s", whole, title="Lantern", directory="/srv")], "lantern")


def test_messages_may_come_from_a_generator_that_changes_the_index() -> None:
    index = Index.build([session("s", "the lantern")])

    def said() -> Iterator[Message]:
        index.append("s", [message("first", "the rudder")])
        yield message("second", "the keel")

    index.append("s", said())
    assert [each.id for each in index.indexed(["s"])[0].messages] == ["s.0", "first", "second"]


def test_messages_of_chat_apis_get_ids_that_are_free() -> None:
    chat = [{"role": "user", "content": "light the lantern"}, {"role": "assistant", "content": "lit"}]
    index = Index.build([{"id": "s", "messages": chat}])
    index.append("s", chat)
    index.append("s", iter(chat))
    assert [each.id for each in index.indexed(["s"])[0].messages] == [f"s:{number}" for number in range(6)]
    assert ask(index, "lantern").total == 3


def test_an_output_appended_after_its_call_is_a_part_of_its_own() -> None:
    index = Index.build([{"id": "s", "messages": []}])
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    index.append("s", [{"role": "assistant", "content": None, "tool_calls": [call]}])
    index.append("s", [{"role": "tool", "tool_call_id": "c1", "content": "the lantern burns"}])
    assert parts(ask(index, "burns")) == ["s:1:0"]


# --- what is refused ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "error", "told"),
    [
        pytest.param(lambda index: index.add([session("s", "x")]), ValueError, "session 's' is in the index already"),
        pytest.param(lambda index: index.add([session("n"), session("n")]), ValueError, "'n' is given twice"),
        pytest.param(lambda index: index.add(session("n")), TypeError, "one alone"),
        pytest.param(lambda index: index.add([5]), TypeError, "int"),
        pytest.param(lambda index: index.append("n", [message("a", "x")]), ValueError, "no session 'n'"),
        pytest.param(lambda index: index.append("s", [message("s.0", "x")]), ValueError, "message 's.0' is in"),
        pytest.param(lambda index: index.append("s", [message("a"), message("a")]), ValueError, "message 'a' is in"),
        pytest.param(lambda index: index.append(5, [message("a", "x")]), TypeError, "not 5"),
        pytest.param(lambda index: index.append("s", message("a", "x")), TypeError, "one alone"),
        pytest.param(lambda index: index.append("s", "the text"), TypeError, "'the text'"),
        pytest.param(lambda index: index.append("s", [{"role": "odd", "content": "x"}]), ValueError, "odd"),
        pytest.param(lambda index: index.append("s", [Message("a", "user", parts=[Part("p", "text", 5)])]),  # type: ignore[arg-type]
                     TypeError, "int"),
        pytest.param(lambda index: index.append("two", [message("a", "x")]), ValueError, "2 sessions .* 'one', 'o"),
        pytest.param(lambda index: index.remove("s"), TypeError, "'s'"),
        pytest.param(lambda index: index.remove(["s", "n"]), ValueError, "no session 'n'"),
        pytest.param(lambda index: index.remove([b"s"]), TypeError, "b's'"),
        pytest.param(lambda index: index.save(), ValueError, "give save\\(\\) the folder"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("appended", [False, True])
def test_what_cannot_be_done_changes_nothing(
    change: Callable[[Index], None], error: type[Exception], told: str, appended: bool
) -> None:
    history = [session("s", "the lantern"), *TWICE]
    index = Index.build(history)
    if appended:
        index.append("s", [message("more", "the rudder")])
        history[0] = replace(history[0], messages=(*history[0].messages, message("more", "the rudder")))
    for _ in range(2):  # the second time, a session that grew is one that was left half extended
        with pytest.raises(error, match=told):
            change(index)
    answers_alike(index, history, "lantern")
    index.append("s", [message("last", "the lantern again")])
    history[0] = replace(history[0], messages=(*history[0].messages, message("last", "the lantern again")))
    answers_alike(index, history, "lantern")


def test_sessions_of_one_id_are_removed_together() -> None:
    index = Index.build(TWICE)
    index.remove(["two", "two"])
    assert len(index) == 0
    assert ask(index, "keel").total == 0


def test_sessions_that_are_removed_together_are_marked_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each mark copies the set of the deleted sessions of a segment: one for each session would be quadratic."""
    index = Index.build([session(f"s{number}", "keel", updated=number) for number in range(60)])
    index.add([session(f"t{number}", "keel", updated=number) for number in range(60)])
    marked: list[int] = []
    union = live_segments.LiveSegment.delete

    def counted(live: live_segments.LiveSegment, rows: Any) -> None:
        marked.append(len(rows))
        union(live, rows)

    monkeypatch.setattr(live_segments.LiveSegment, "delete", counted)
    index.remove([*(f"s{number}" for number in range(40)), *(f"t{number}" for number in range(50))])
    assert sorted(marked) == [40, 50]
    assert len(index) == index.search("keel", now=NOW).total == 30


def test_an_index_from_which_all_was_removed_finds_nothing_and_takes_more() -> None:
    index = Index.build([session("s", "the lantern")])
    index.remove(["s"])
    answers_alike(index, [], "lantern")
    index.add([session("t", "the lantern")])
    answers_alike(index, [session("t", "the lantern")], "lantern")


def test_nothing_is_changed_by_nothing(tmp_path: Path) -> None:
    index = Index.build([session("s", "the lantern")], folder=tmp_path)
    before = open_generation(tmp_path).manifest
    index.add([])
    index.append("s", [])
    index.remove([])
    assert parts(ask(index, "lantern")) == ["s.0.1"]
    index.close()
    assert open_generation(tmp_path).manifest == before


def test_a_closed_index_takes_nothing() -> None:
    index = Index.build([session("s", "x")])
    index.close()
    for change in (lambda: index.add([]), lambda: index.append("s", []), lambda: index.remove([])):
        with pytest.raises(ValueError, match="closed"):
            change()


def test_a_recall_is_not_pickled() -> None:
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="one folder as `cache`"):
            attempt(Recall([]))


def test_an_index_is_not_pickled() -> None:
    index = Index.build([session("s", "x")])
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=r"save\(\) it to a folder.*Index\.open\(folder\)"):
            attempt(index)


# --- on disk --------------------------------------------------------------------------------------------------


def test_changes_are_written_by_save_and_by_close(tmp_path: Path) -> None:
    with Index.open(tmp_path / "index", create=True) as index:
        index.add([session("s", "the lantern")])
        index.save()
        index.append("s", [message("more", "the rudder")])
        with Index.open(tmp_path / "index") as other:
            assert (ask(index, "rudder").total, ask(other, "rudder").total) == (1, 0)
    assert ask(Index.open(tmp_path / "index", verify=True), "rudder").total == 1


def test_files_of_unchanged_sessions_stay(tmp_path: Path) -> None:
    for number in range(3):
        with Index.open(tmp_path, create=True) as index:
            index.add([session(f"s{number}-{at}", "the lantern") for at in range(9 ** (2 - number))])
    before = set(open_generation(tmp_path).manifest.segments)
    with Index.open(tmp_path) as index:
        index.append("s2-0", [message("more", "the rudder")])
    after = set(open_generation(tmp_path).manifest.segments)
    assert (len(before), len(after), len(before & after)) == (3, 3, 2)


def test_no_file_holds_what_was_removed(tmp_path: Path) -> None:
    Index.build([session("s", "unspeakable"), session("t", "the keel")], folder=tmp_path)
    with Index.open(tmp_path) as index:
        index.remove(["s"])
    assert not [file for file in tmp_path.iterdir() if b"unspeakable" in file.read_bytes()]
    assert ask(Index.open(tmp_path), "keel").total == 1


def test_what_another_process_wrote_is_not_overwritten(tmp_path: Path) -> None:
    Index.build([session("s", "the lantern")], folder=tmp_path)
    one, other = Index.open(tmp_path), Index.open(tmp_path)
    one.append("s", [message("a", "the rudder")])
    other.append("s", [message("b", "the keel")])
    one.save()
    with pytest.raises(IndexNotSavedError, match="open it again"):
        other.save()
    assert ask(other, "keel").total == 1
    assert (ask(Index.open(tmp_path), "rudder").total, ask(Index.open(tmp_path), "keel").total) == (1, 0)
    with pytest.raises(IndexNotSavedError, match="open it again"):
        other.close()
    with pytest.raises(ValueError, match="closed"):
        ask(other, "keel")


def test_a_copy_into_its_own_folder_can_be_changed_on(tmp_path: Path) -> None:
    index = Index.build([session("s", "the lantern")], folder=tmp_path)
    index.append("s", [message("a", "the rudder")])
    index.save(tmp_path)
    index.append("s", [message("b", "the keel")])
    index.save()
    assert ask(Index.open(tmp_path), "keel rudder").total == 2


def test_an_index_of_sources_is_changed_through_them(tmp_path: Path) -> None:
    history = tmp_path / "history.jsonl"
    history.write_text('{"type": "session", "id": "s"}\n', encoding="utf-8")
    index = Index.open(tmp_path / "index", create=True)
    index.add([session("n", "the lantern")])
    index.refresh(open_sources(history))
    assert ask(index, "lantern").total == 0
    for opened in (index, Index.open(tmp_path / "index")):
        with pytest.raises(ValueError, match="change the sources"):
            opened.remove(["s"])
        opened.close()


# --- threads --------------------------------------------------------------------------------------------------


def test_threads_search_and_append_at_once() -> None:
    index = Index.build([session(f"s{number}", "the lantern") for number in range(4)])
    failed: list[str] = []
    done = threading.Event()

    def search() -> None:
        seen = 0
        while not done.is_set():
            total = ask(index, "rudder").total
            if total < seen:
                failed.append(f"{total} after {seen}")
            seen = total

    def append(number: int) -> None:
        for at in range(30):
            index.append(f"s{number}", [message(f"n{number}-{at}", "the rudder")])
            index.add([session(f"more-{number}-{at}", "the quay")])
            index.remove([f"more-{number}-{at}"])

    searching = [threading.Thread(target=search) for _ in range(2)]
    appending = [threading.Thread(target=append, args=(number,)) for number in range(4)]
    for thread in (*searching, *appending):
        thread.start()
    for thread in appending:
        thread.join()
    done.set()
    for thread in searching:
        thread.join()
    assert not failed
    assert ask(index, "rudder").total == 120
    assert len(index) == 124


# --- how many segments ----------------------------------------------------------------------------------------


def test_few_segments_remain_and_texts_are_copied_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    copied = 0
    merged = live_segments._merged

    def counted(lives: list[live_segments.LiveSegment]) -> Any:
        nonlocal copied
        copied += sum(live.size for live in lives)
        return merged(lives)

    monkeypatch.setattr(live_segments, "_merged", counted)
    live = LiveSegments([build([])], [()], [None])
    most = 0
    for number in range(300):
        live.add([session(f"s{number}", "the lantern")])
        most = max(most, len(live._all()))
    assert most <= live_segments.MOST_SETTLED + 1
    assert copied <= 300 * 6
