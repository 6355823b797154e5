"""A Recall with an embedder: a refresh embeds what is new, and what is forgotten leaves no vector."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall_rank import Context, Recall
from recall_rank.histories.cache.purge import purge
from recall_rank.histories.records.forgotten import forget
from recall_rank.histories.removal.withdraw import withdraw
from recall_rank.model import SearchResponse
from recall_rank.semantic import vector_index
from tests.histories.test_refresh import Shelf, talk
from tests.support.search.samples import ENOUGH_MS
from tests.support.semantic.word_embedder import WordEmbedder

SAID = "we talked of lantern{0} at the harbour of town{0}"


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "QUIET_SECONDS", 3600.0)


@pytest.fixture
def shelf() -> Shelf:
    made = Shelf()
    for number in range(6):
        made.put(f"u{number}", talk(f"s{number}", SAID.format(number), "and the physician agreed with it"))
    return made


def with_vector(response: SearchResponse) -> int:
    assert response.coverage.vectors is not None
    return response.coverage.vectors.with_vector


def search(recall: Recall, query: str = "doctor") -> SearchResponse:
    return recall.search(query, budget_ms=ENOUGH_MS, results=30)


def values(folder: Path) -> bytes:
    """The content of every vector file below a folder."""
    return b"".join(path.read_bytes() for path in folder.rglob("vectors-*"))


def vector_of(text: str) -> bytes:
    """The int8 values of a text, as they are stored."""
    from recall_rank.index.vectors.segment_vectors import quantized

    return quantized(WordEmbedder()([text]))[1].tobytes()


def test_a_refresh_embeds_what_is_new_alone(tmp_path: Path, shelf: Shelf) -> None:
    embedder = WordEmbedder()
    with Recall([shelf], cache=tmp_path, embedder=embedder) as recall:
        assert recall.embed().made == 7  # six messages, and one text that all share
        assert with_vector(search(recall)) == 12
        assert {result.session_id for result in search(recall).results} >= {f"s{number}" for number in range(6)}
        shelf.put("u1", talk("s1", SAID.format(1), "and the physician agreed with it", "so we all went home then"))
        shelf.put("u9", talk("s9", SAID.format(9)))
        recall.refresh()
        assert with_vector(search(recall)) == 12  # what is new has none yet, all else has its own
        assert recall.embed().made == 2
    assert len(embedder.texts) == len(set(embedder.texts)) == 9
    later = WordEmbedder()
    with Recall([shelf], cache=tmp_path, embedder=later) as recall:
        assert with_vector(search(recall)) == 14
        assert recall.embed().made == 0
    assert later.texts == []


def test_a_refresh_without_an_embedder_keeps_the_vectors(tmp_path: Path, shelf: Shelf) -> None:
    with Recall([shelf], cache=tmp_path, embedder=WordEmbedder()) as recall:
        recall.embed()
    with Recall([shelf], cache=tmp_path) as recall:
        shelf.put("u9", talk("s9", SAID.format(9)))
        del shelf.held["u0"]
        recall.refresh()
        assert search(recall).coverage.vectors is None
    with Recall([shelf], cache=tmp_path, embedder=WordEmbedder()) as recall:
        assert with_vector(search(recall)) == 10
        assert recall.embed().made == 1


def test_a_session_that_its_source_deletes_leaves_no_vector(tmp_path: Path, shelf: Shelf) -> None:
    with Recall([shelf], cache=tmp_path, embedder=WordEmbedder()) as recall:
        recall.embed()
        assert vector_of(SAID.format(2)) in values(tmp_path)
        del shelf.held["u2"]
        recall.refresh()
        assert vector_of(SAID.format(2)) not in values(tmp_path)
        assert vector_of(SAID.format(3)) in values(tmp_path)


def test_a_forgotten_session_leaves_no_vector(tmp_path: Path, shelf: Shelf) -> None:
    with Recall([shelf], cache=tmp_path, embedder=WordEmbedder()) as recall:
        recall.embed()
    forget(tmp_path, "s2")
    withdraw(tmp_path)
    assert vector_of(SAID.format(2)) not in values(tmp_path)
    assert vector_of(SAID.format(3)) in values(tmp_path)
    with Recall([shelf], cache=tmp_path, embedder=WordEmbedder()) as recall:
        assert recall.embed().made == 0
        assert "s2" not in {result.session_id for result in search(recall).results}
    assert vector_of(SAID.format(2)) not in values(tmp_path)


def test_a_purge_removes_vectors(tmp_path: Path, shelf: Shelf) -> None:
    cache = tmp_path / "cache"
    with Recall([shelf], cache=cache, embedder=WordEmbedder()) as recall:
        recall.embed()
    assert values(cache)
    assert purge(cache).left == []
    assert not cache.exists()


def test_a_view_of_one_project_shares_the_vectors(tmp_path: Path, shelf: Shelf) -> None:
    from dataclasses import replace

    for number in range(6):
        talked = replace(talk(f"s{number}", SAID.format(number)), project=("quay", "mole")[number % 2])
        shelf.put(f"u{number}", talked)
    embedder = WordEmbedder()
    with Recall([shelf], cache=tmp_path, embedder=embedder) as recall:
        recall.embed()
        own = recall.only(Context(project="quay"))
        response = search(own, "lantern")
        assert with_vector(response) == 3
        assert {result.session_id for result in response.results} <= {"s0", "s2", "s4"}
        assert own.embed().made == 0
        assert with_vector(search(recall)) == 6
    assert len(embedder.texts) == 6


def test_a_recall_in_memory_keeps_its_vectors_over_a_refresh(shelf: Shelf) -> None:
    embedder = WordEmbedder()
    with Recall([shelf], embedder=embedder) as recall:
        assert recall.embed().made == 7
        shelf.put("u9", talk("s9", SAID.format(9)))
        recall.refresh()
        assert recall.embed().made == 1
        assert with_vector(search(recall)) == 13


def test_without_an_embedder_there_is_nothing_to_embed(shelf: Shelf) -> None:
    with Recall([shelf]) as recall, pytest.raises(ValueError, match="no embedder"):
        recall.embed()
