"""Recall over fake sources: reading, reports, warnings, cancellation and closing."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from recall_rank.histories.backend import Snapshot
from recall_rank.histories.source_reports import with_reports
from recall_rank.model import Context, Malformed, SourceReport
from recall_rank.recall import Recall
from tests.frontends.conftest import Machine
from tests.support.frontends.samples import FakeIndex, FakeSource, response, session

pytestmark = pytest.mark.usefixtures("machine")


def good() -> FakeSource:
    return FakeSource(session("s1", "the rate limit"), session("s2", "other"))


def test_sources_are_read_once_and_only_when_needed() -> None:
    source = good()
    with Recall([source]) as recall:
        assert source.reads == 0
        assert [hit.session_id for hit in recall.search("rate").results] == ["s1"]
        recall.search("other")
        recall.prepare()
        assert source.reads == 1
        assert [report.sessions for report in recall.sources()] == [2]
        assert source.reads == 1
        assert [report.sessions for report in recall.refresh().sources] == [2]
        assert source.reads == 2


def test_sources_alone_build_no_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recall_rank.corpus.Index", None)
    assert [report.agent for report in Recall([good()]).sources()] == ["fake"]


def test_discover_takes_what_is_found(machine: Machine) -> None:
    assert Recall.discover().found == 0
    machine.discovered = [good()]
    assert Recall.discover().search("rate").total == 1


def test_context_is_the_default_of_every_search() -> None:
    here = Context(directory="/srv")
    recall = Recall([good()], context=here)
    recall.search("rate")
    recall.search("rate", context=None)
    index: Any = recall._backend.ready().index
    assert isinstance(index, FakeIndex)
    assert [options["context"] for _, options in index.asked] == [here, None]


def test_a_failed_source_is_reported_and_the_others_are_searched() -> None:
    answer = Recall([good(), FakeSource(name="broken", error="database is locked")]).search("rate")
    assert answer.total == 1
    assert answer.load_errors == ("broken: database is locked",)
    assert answer.coverage.limited_by == ("load_error",)
    assert [report.failed for report in answer.coverage.per_source] == [False, True]


def test_notes_on_sources_are_counted() -> None:
    bad = Malformed("/data/a", "line 1", "torn")
    reports = [
        SourceReport("a", "/a", warnings=("one", "two", "three", "four", "five"), malformed=(bad, bad)),
        SourceReport("b", "/b", malformed=(bad,)),
    ]
    told = with_reports(response(warnings=("own",)), reports)
    assert told.warnings == ("own", "7 notes about sources: see recall-rank sources")
    assert told.coverage.per_source == tuple(reports)
    assert with_reports(response(), reports[1:]).warnings == ("1 note about sources: see recall-rank sources",)
    assert with_reports(response(), [SourceReport("c", "/c")]).warnings == ()


def test_progress_counts_both_stages() -> None:
    seen: list[tuple[str, int, int | None]] = []
    Recall([good(), good()]).prepare(lambda *step: seen.append(step))
    assert [step for step in seen if step[0] == "reading"][-1] == ("reading", 2, 2)
    assert [step for step in seen if step[0] == "indexing"][-1] == ("indexing", 4, 4)
    assert [step[0] for step in seen] == sorted((step[0] for step in seen), reverse=True)


def test_a_closed_recall_refuses_calls() -> None:
    recall = Recall([good()])
    recall.close()
    with pytest.raises(ValueError, match="closed"):
        recall.search("rate")


def test_a_wrong_cache_argument_is_refused() -> None:
    with pytest.raises(TypeError, match="cache must be a folder, True"):
        Recall([], cache=7)  # type: ignore[arg-type]


def test_asearch_answers_like_search() -> None:
    recall = Recall([good()])
    assert asyncio.run(recall.asearch("rate")) == recall.search("rate")


@pytest.mark.parametrize("own", [False, True])
def test_cancelling_asearch_sets_the_cancel_event(own: bool) -> None:
    started, ended = threading.Event(), threading.Event()
    event = threading.Event() if own else None

    class Slow(FakeIndex):
        def search(self, query: str, **options: Any) -> Any:
            started.set()
            assert options["cancel"] is event or not own
            assert options["cancel"].wait(10)
            ended.set()
            raise ValueError("cancelled")

    async def cancel() -> None:
        recall = Recall([])
        recall._backend.snapshot = Snapshot(Slow([]), [])  # type: ignore[attr-defined]
        options = {"cancel": event} if own else {}
        task = asyncio.ensure_future(recall.asearch("rate", **options))
        await asyncio.to_thread(started.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(ended.wait, 10)

    asyncio.run(cancel())


def test_threads_share_one_reading() -> None:
    source = good()
    recall = Recall([source])
    threads = [threading.Thread(target=recall.search, args=("rate",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert source.reads == 1
