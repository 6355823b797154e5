"""Engines of optional packages find what every engine finds; without their package they say what to install."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

import pytest

from bench import engines
from bench.engines import EngineError, Hit, cpu_clock, create
from bench.engines.fts5 import Fts5, Fts5Trigram
from recall_rank.model import Message, Part, Session

if TYPE_CHECKING:
    from pathlib import Path

OPTIONAL = ("tantivy-stem", "xapian", "xapian-spelling", "lancedb")
SESSIONS = [
    Session(
        id="s1",
        title="Kettles",
        messages=[
            Message(
                id="m1", role="user", time=1, parts=[Part(id="p1", type="text", text="the kettle whistles loudly")]
            ),
            Message(
                id="m2", role="user", time=2, parts=[Part(id="p2", type="text", text="a silver spoon, nothing else")]
            ),
        ],
    )
]


def built(name: str) -> engines.Engine:
    try:
        engine = create(name)
    except EngineError as error:
        pytest.skip(str(error))
    engine.build(SESSIONS)
    return engine


@pytest.mark.parametrize("name", OPTIONAL)
def test_it_finds_words_and_their_forms(name: str) -> None:
    engine = built(name)
    assert engine.name == name
    assert list(engine.search("whistling", 5)) == [Hit("s1", "m1", "p1")]
    assert set(engine.search("spoons kettles", 5)) == {Hit("s1", "m1", "p1"), Hit("s1", "m2", "p2"), Hit("s1", "", "")}
    assert len(engine.search("spoons kettles", 1)) == 1


@pytest.mark.parametrize("name", OPTIONAL)
@pytest.mark.parametrize("query", ["", "?!", '"spoon AND (OR', "-spoon", "absent"])
def test_no_query_is_an_error_or_an_operator(name: str, query: str) -> None:
    found = list(built(name).search(query, 5))
    assert found == ([Hit("s1", "m2", "p2")] if "spoon" in query else [])


def test_xapian_suggests_a_spelling_for_unknown_words_only() -> None:
    asked = "kettl whistles spooon"
    assert not built("xapian").search("spooon", 5)
    assert list(built("xapian-spelling").search("spooon", 5)) == [Hit("s1", "m2", "p2")]
    assert len(built("xapian-spelling").search(asked, 5)) == 3


def test_xapian_makes_snippets() -> None:
    engine = built("xapian")
    assert isinstance(engine, engines.HasPages)
    ((hit, snippet),) = engine.page("whistle", 5)  # type: ignore[misc]
    assert (hit, "whistles" in snippet) == (Hit("s1", "m1", "p1"), True)


def test_a_word_that_is_asked_twice_counts_once_in_fts5() -> None:
    assert Fts5().terms("Kettle, kettle spoon") == ["kettle", "spoon"]
    assert Fts5Trigram().terms("a Kettle kettle") == ["kettle"]


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module = importlib.import_module("bench.engines.xapian_index")
    module.xapian.cache_clear()
    monkeypatch.setitem(sys.modules, "xapian", None)
    monkeypatch.setattr(module, "DEBIAN", tmp_path)
    with pytest.raises(EngineError, match="apt-get install python3-xapian"):
        create("xapian")
    module.xapian.cache_clear()
    monkeypatch.setitem(sys.modules, "lancedb", None)
    monkeypatch.delitem(sys.modules, "bench.engines.lancedb_index", raising=False)
    with pytest.raises(EngineError, match="lancedb"):
        create("lancedb")


def test_the_clock_of_an_engine_with_threads_is_that_of_the_process() -> None:
    class Threaded:
        threaded = True

    assert cpu_clock(Threaded()).__name__ == "process_time"
    assert cpu_clock(object()).__name__ == "thread_time"
