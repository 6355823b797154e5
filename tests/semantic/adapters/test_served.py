"""Embedders behind an address: what is sent, what is believed, and that nothing leaves this machine unasked."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from recall_rank import Index, open_embedder
from recall_rank.semantic.adapters.served import EmbeddingServerError, OllamaEmbedder, OpenAIEmbedder, is_loopback
from tests.support.search.samples import ENOUGH_MS, parts, session
from tests.support.semantic.embedding_server import EmbeddingServer, embedding_server
from tests.support.semantic.word_embedder import DIMENSION, WordEmbedder

Make = Callable[..., Any]
TEXTS = ["the physician sleeps", "größe \ud800 is odd", "a green boat"]


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as made:
        yield made


@pytest.fixture(params=["ollama", "openai"])
def make(request: pytest.FixtureRequest, server: EmbeddingServer) -> Make:
    if request.param == "ollama":
        return lambda **options: OllamaEmbedder("mini", server.url, **options)
    return lambda **options: OpenAIEmbedder("mini", f"{server.url}/v1", **options)


def test_vectors_are_those_of_the_server_in_the_order_of_the_texts(make: Make, server: EmbeddingServer) -> None:
    embedder = make()
    for server.backwards in (False, True):
        found = embedder(TEXTS)
        assert found.dtype == np.float32
        wanted = WordEmbedder()([text.replace("\ud800", "?") for text in TEXTS])
        assert np.allclose(found, wanted)
    assert embedder.dimension == DIMENSION
    assert embedder([]).shape == (0, DIMENSION)
    path, body, headers = server.asked[0]
    assert path == ("/api/embed" if embedder.adapter == "ollama" else "/v1/embeddings")
    assert body == {"model": "mini", "input": [text.replace("\ud800", "?") for text in TEXTS]}
    assert headers["Content-Type"] == "application/json"
    assert "Authorization" not in headers


def test_the_dimension_is_asked_once(make: Make, server: EmbeddingServer) -> None:
    embedder = make()
    assert server.asked == []
    assert [embedder.dimension, embedder.dimension] == [DIMENSION] * 2
    assert len(server.asked) == 1


def test_prefixes_are_put_before_passages_and_queries_and_tell_the_vectors_apart(
    make: Make, server: EmbeddingServer
) -> None:
    embedder = make(query_prefix="query: ", passage_prefix="passage: ")
    embedder(["boat"])
    embedder(["boat"], query=True)
    assert [body["input"] for _, body, _ in server.asked] == [["passage: boat"], ["query: boat"]]
    assert embedder.name != make().name


def test_a_key_is_sent_to_the_endpoint_alone(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of another program")
    OpenAIEmbedder("mini", server.url)(["boat"])
    OpenAIEmbedder("mini", server.url, key="token")(["boat"])
    assert [headers.get("Authorization") for _, _, headers in server.asked] == [None, "Bearer token"]


def test_a_proxy_of_the_environment_gets_nothing(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert make()(["boat"]).shape == (1, DIMENSION)


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (500, b"no model", "answered 500 Internal Server Error: no model"),
        (404, b"", "answered 404"),
        (200, b"<html>", "no JSON"),
        (200, b"[]", "without embeddings"),
        (200, b"{}", "without embeddings"),
        (200, b'{"embeddings": [[1, 2], [3]], "data": [{"embedding": [1, 2]}, {"embedding": [3]}]}', "no list of vect"),
        (200, b'{"embeddings": [["x"], ["y"]], "data": [{"embedding": ["x"]}, {"embedding": ["y"]}]}', "no list of ve"),
        (200, b'{"embeddings": [[1, 2]], "data": [{"embedding": [1, 2]}]}', "to 2 texts"),
        (200, b'{"embeddings": [1, 2], "data": [{"embedding": 1}, {"embedding": 2}]}', "an array of"),
    ],
)
def test_an_answer_that_holds_no_vectors_is_an_error(
    make: Make, server: EmbeddingServer, status: int, body: bytes, words: str
) -> None:
    server.reply = status, body
    with pytest.raises(EmbeddingServerError, match=words) as error:
        make()(["boat", "car"])
    assert str(error.value).startswith(server.url)


def test_a_redirect_is_not_followed(make: Make, server: EmbeddingServer) -> None:
    server.reply, server.headers = (302, b""), {"Location": "http://127.0.0.1:9/"}
    with pytest.raises(EmbeddingServerError, match="answered 302"):
        make()(["boat"])


def test_an_answer_without_end_is_refused(make: Make, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recall_rank.semantic.adapters.served.LARGEST", 50)
    with pytest.raises(EmbeddingServerError, match="too much"):
        make()(["boat"])


def test_a_server_that_is_not_there_is_an_error_with_its_address() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(EmbeddingServerError, match=f"{url} cannot be reached"):
            OllamaEmbedder("mini", url)(["boat"])


def test_a_silent_server_ends_a_call() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(EmbeddingServerError, match="timed out"):
            OllamaEmbedder("mini", url, seconds=0.2)(["boat"])


@pytest.mark.parametrize(
    ("host", "wanted"),
    [
        ("localhost", True), ("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("::ffff:127.0.0.1", True),
        ("0.0.0.0", False), ("10.0.0.1", False), ("::ffff:10.0.0.1", False), ("example.org", False),
        ("localhost.example.org", False), ("127.0.0.1.example.org", False), ("2130706433", False), ("", False),
    ],
)  # fmt: skip
def test_a_loopback_address_is_told_by_its_form(host: str, wanted: bool) -> None:
    assert is_loopback(host) is wanted


@pytest.mark.parametrize(
    "url", ["http://example.org/v1", "https://api.example.org", "http://10.0.0.7:11434", "http://127.0.0.1@evil.org/"]
)
def test_another_machine_is_refused_unless_the_caller_wants_it(url: str) -> None:
    for make in (OllamaEmbedder, OpenAIEmbedder):
        with pytest.raises(ValueError, match="remote=True"):
            make("mini", url)
        assert make("mini", url, remote=True).url == url
    with pytest.raises(ValueError, match="remote=True"):
        open_embedder(f"openai:mini@{url}")


def test_a_name_that_leads_to_another_machine_is_refused_before_anything_is_sent(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hosts file may say anything of localhost."""
    monkeypatch.setattr("recall_rank.semantic.adapters.served.is_loopback", lambda host: host == "localhost")
    with pytest.raises(EmbeddingServerError, match="leads elsewhere"):
        OllamaEmbedder("mini", f"http://localhost:{server.server_address[1]}")(["boat"])
    assert server.asked == []


@pytest.mark.parametrize(
    "url", ["", "127.0.0.1:80", "ftp://127.0.0.1", "http://", "http://127.0.0.1/?a=b", "file:///x"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"address of an embedder|remote=True"):
        OpenAIEmbedder("mini", url)


def test_an_index_searches_by_a_served_model(make: Make) -> None:
    with Index.build([session("s", *TEXTS)], embedder=make()) as index:
        assert index.embed().made == 3
        response = index.search("doctor", budget_ms=ENOUGH_MS)
        assert parts(response)[0] == "s.0.1"
        assert not response.warnings
