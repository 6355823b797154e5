"""The benchmark of other systems: recordings beside our answers, labels by digests, and the generated folder."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from bench.benchmarks import systems
from bench.datasets import system_labels
from bench.datasets.praisonai_folder import MESSAGES, queries, write_folder
from bench.datasets.recorded_systems import RecordedCall
from bench.datasets.scheduled_sessions import CONVERSATIONS, RUNS, SUBJECTS, write_sessions
from bench.datasets.system_labels import digest, wanted
from recall_rank import Recall
from tests.fixtures import make_pi
from tests.support.frontends import praison_folder


def options(data: Path, **more: Any) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    systems.arguments(parser)
    return argparse.Namespace(**{**vars(parser.parse_args([])), "data": data, "sessions": 0, "schedules": 0, **more})


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with a store of PraisonAI's, and recordings that find one of three sessions."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    praison_folder.write_folder(tmp_path / "store")
    calls = [("stuttering horn", "nightly"), ("saffron pelican", None), ("osprey", "ben:harbour"), ("the", "lamp")]
    recorded = [
        {"query": query, "limit": 5, "window": 5, "hits": [] if found is None else [{"session_id": found}]}
        for query, found in calls
    ]
    recorded.append({"query": "osprey", "limit": 0, "window": 5, "hits": []})
    folder = tmp_path / systems.RECORDED
    folder.mkdir(parents=True)
    for generation in ("g1", "g3"):
        content = json.dumps({"store": "store", "search": recorded})
        (folder / f"praisonai-{generation}.json").write_text(content, encoding="utf-8")
    labels = {"stuttering horn": "fog-horn", "saffron pelican": "lamp", "osprey": "ben:harbour"}
    monkeypatch.setitem(
        system_labels.LABELS,  # type: ignore[arg-type]
        "praisonai",
        {digest(query): (digest(session),) for query, session in labels.items()},
    )
    return tmp_path


def test_theirs_as_recorded_beside_ours_as_run(data: Path) -> None:
    (report,) = systems.run(options(data, systems="praisonai"))
    (table,) = report.tables
    assert [row[:8] for row in table.rows[:2]] == [
        ["praisonai g1, theirs", "5", "3", "0.333", "0.333", "1", "0", "0"],
        ["praisonai g1, ours", "5", "3", "1.000", "1.000", "0", "0", "0"],
    ]
    assert not report.failed


def test_an_answer_worse_than_theirs_fails(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systems.RecallTools, "call", lambda *_, **__: {"ok": False, "error": "none"})
    (report,) = systems.run(options(data, systems="praisonai"))
    assert {check.name.partition(": ")[2] for check in report.failed} == {
        "hit@1 at least theirs",
        "hit@1 at least 0.95",
        "no errors",
    }


def test_calls_of_session_recall_are_made_with_their_filters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    store = tmp_path / "stores" / "tallow"
    make_pi.write_tallow(store / "home")
    (store / "manifest.json").write_text(json.dumps([{"key": "lamp", "id": make_pi.FIRST}]), encoding="utf-8")
    nothing, lamp = {"hits": []}, {"hits": [{"session": "lamp"}]}
    recorded = {
        "store": "stores/tallow/flat",
        "search": [
            {"query": "amber falcon", "options": {"limit": 15}, **nothing},
            {"query": "lamp/wiring.py", "options": {"limit": 15}, "exception": "fts5: syntax error"},
            {"query": "", "options": {"limit": 15}, "exception": "fts5: syntax error"},
        ],
        "filters": [
            {"query": "bulb", "options": {"limit": 15, "dateFrom": "2026-05-28"}, **lamp},
            {"query": "bulb", "options": {"limit": 15, "dateTo": "2026-05-27"}, **lamp},
            {"query": "bulb", "options": {"limit": 15, "dateTo": "03/05/2026"}, **nothing},
            {"query": "bulb", "options": {"limit": 0, "dateFrom": "2026-05-28"}, **nothing},
        ],
    }
    folder = tmp_path / systems.RECORDED
    folder.mkdir(parents=True)
    (folder / "tallow.json").write_text(json.dumps(recorded), encoding="utf-8")
    asked = ["amber falcon", "lamp/wiring.py", 'bulb {"dateFrom": "2026-05-28"}', 'bulb {"dateTo": "2026-05-27"}']
    labels = {digest(text): (digest("lamp"),) for text in asked}
    monkeypatch.setitem(system_labels.LABELS, "tallow", labels)  # type: ignore[arg-type]
    (report,) = systems.run(options(tmp_path, systems="tallow"))
    assert [row[:8] for row in report.tables[0].rows] == [
        ["tallow, theirs", "7", "4", "0.500", "0.500", "2", "0", "2"],
        ["tallow, ours", "7", "4", "0.750", "0.750", "1", "1", "0"],  # nothing was said before that day
    ]
    assert {check.name for check in report.failed} == {"tallow: hit@1 at least 0.95"}


def test_an_error_is_counted_and_the_other_calls_are_made(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = systems._sessions

    def sessions(recall: Recall, call: RecordedCall) -> list[str]:
        if call.query == "osprey":
            raise KeyError(call.query)
        return asked(recall, call)

    monkeypatch.setattr(systems, "_sessions", sessions)
    (report,) = systems.run(options(data, systems="praisonai"))
    assert report.tables[0].rows[1][3:8] == ["0.667", "0.667", "1", "0", "2"]
    assert not next(check for check in report.checks if check.name.endswith("no errors")).ok


def test_what_is_absent_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="other-systems is absent"):
        list(systems.run(options(tmp_path)))
    with pytest.raises(FileNotFoundError, match="no recordings of nobody"):
        list(systems.run(options(tmp_path, systems="nobody")))


def test_a_label_names_sessions_by_their_digest(data: Path) -> None:
    assert wanted("praisonai", "osprey", {"ben:harbour", "lamp"}) == {"ben:harbour"}
    assert wanted("praisonai", "the", {"ben:harbour", "lamp"}) == set()
    for labels in system_labels.LABELS.values():
        assert all(len(name) == 12 for query, sessions in labels.items() for name in (query, *sessions))


def test_generated_folders_are_equal_for_equal_seeds(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_folder(tmp_path / name, 3, 7)
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert len(files) == 3
    assert all((tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes() for name in files)
    assert len(json.loads((tmp_path / "one" / files[0]).read_bytes())["messages"]) == MESSAGES
    assert queries(7, 2) == queries(7, 2)


def test_queries_for_runs_of_schedules_are_as_many_as_for_conversations(tmp_path: Path) -> None:
    sought = write_sessions(tmp_path / "one", 5, 20)
    assert sought == write_sessions(tmp_path / "two", 5, 20)
    files = {path.stem: path.read_bytes() for path in (tmp_path / "one").iterdir()}
    assert files == {path.stem: path.read_bytes() for path in (tmp_path / "two").iterdir()}
    begun = {name for name, content in files.items() if json.loads(content)["metadata"] == {"source": "cron"}}
    assert (len(files), len(begun)) == (SUBJECTS * CONVERSATIONS + SUBJECTS // 2 * RUNS, SUBJECTS // 2 * RUNS)
    assert [one.scheduled for one in sought] == [False] * 20 + [True] * 20
    for one in sought:
        assert one.wanted
        assert one.wanted <= begun if one.scheduled else one.wanted.isdisjoint(begun)
        texts = [[message["content"] for message in json.loads(files[name])["messages"]] for name in one.wanted]
        assert all(any(set(one.query.split()) <= set(said.replace(".", "").split()) for said in text) for text in texts)


def test_a_weight_that_takes_runs_off_the_page_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(systems, "FOLDERS", 1)
    report = systems._schedules(10, 1)
    assert [row[0] for row in report.tables[0].rows] == ["1", "0.5 (default)", "0.25", "0.1"]
    assert not report.failed
    assert {figure.n for figure in report.figures} == {10}
    ranks = {False: 1, True: 1}
    monkeypatch.setattr(
        systems, "_rank", lambda _, one: ranks[one.scheduled] if systems.session_answers.DEFAULT.scheduled == 1 else 0
    )
    assert [check.ok for check in systems._schedules(10, 1).checks] == [False, False]


def test_the_speed_is_that_of_searches_that_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    report = systems._speed(300, 1, 1)
    assert {"warm: CPU p50", "new process: CPU p50", "no index: CPU p50"} <= {each.name for each in report.figures}
    assert all(each.value > 0 for each in report.figures)
