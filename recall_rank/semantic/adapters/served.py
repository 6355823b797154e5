"""Embedders of models that a server on this machine runs: Ollama, and any endpoint with OpenAI's interface."""

from __future__ import annotations

import ipaddress
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import orjson

from recall_rank.model.option_errors import error_text

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

OLLAMA: Final = "http://127.0.0.1:11434"
SECONDS: Final = 120.0  # of silence after which a call fails: a server may have to load its model
LARGEST: Final = 256 << 20  # bytes of an answer


class EmbeddingServerError(Exception):
    """Raised when a server cannot be reached, refuses a call, or answers something else than vectors."""


class _ServedModel(ABC):
    """A model behind an address of this machine. Thread-safe: each call opens a connection.

    No proxy is used and no redirect followed, so texts go nowhere but to that address.
    """

    adapter = ""
    path = ""  # of the call, below that of the address

    def __init__(
        self,
        model: str,
        url: str,
        *,
        query_prefix: str = "",
        passage_prefix: str = "",
        remote: bool = False,
        seconds: float = SECONDS,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Name the `model` and the address of its server, such as http://127.0.0.1:8080/v1; nothing is sent yet.

        The prefixes are put before queries and passages, as some models want. An address of another machine is refused
        unless `remote` is true: the text of every passage is sent there. Raises ValueError.
        """
        if not model:
            raise ValueError(f"the adapter {self.adapter!r} needs the name of a model")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"the address of an embedder is like http://127.0.0.1:8080/v1, not {url!r}")
        if not remote and not is_loopback(parts.hostname):
            raise ValueError(
                f"{parts.hostname} is not this machine, and all that was said would be sent there; "
                "an embedder takes such an address only with remote=True"
            )
        prefixes = f" {query_prefix!r} {passage_prefix!r}" if query_prefix or passage_prefix else ""
        self.name = f"{self.adapter}:{model}{prefixes}"
        self.model = model
        self.url = url
        self._secure, self._host, self._port = parts.scheme == "https", parts.hostname, parts.port
        self._path = f"{parts.path.rstrip('/')}{self.path}"
        self._prefixes = passage_prefix, query_prefix
        self._remote = remote
        self._seconds = seconds
        self._headers = {"Content-Type": "application/json", **(headers or {})}
        self._lock = threading.Lock()
        self._dimension = 0

    @property
    def dimension(self) -> int:
        """The length of a vector; the server is asked once. Raises EmbeddingServerError."""
        with self._lock:
            if not self._dimension:
                self._dimension = self(["dimension"]).shape[1]
            return self._dimension

    def __call__(self, texts: Sequence[str], /, *, query: bool = False) -> npt.NDArray[np.float32]:
        """Return f32[texts, dimension]. Raises EmbeddingServerError."""
        import numpy as np

        prefix = self._prefixes[query]
        given = [repaired(prefix + text) for text in texts]
        rows = self._rows(self._post({"model": self.model, "input": given}), len(given)) if given else []
        try:
            found = np.array(rows, np.float32)
        except (ValueError, TypeError) as error:
            raise self._error(f"answered what is no list of vectors: {error}") from error
        if not given:
            return np.zeros((0, self.dimension), np.float32)
        if found.ndim != 2 or len(found) != len(given):
            raise self._error(f"answered an array of {found.shape} to {len(given)} texts")
        return found

    @abstractmethod
    def _rows(self, answer: Any, count: int) -> list[Any]:
        """Return the vectors in an answer, in the order of the texts."""

    def _post(self, body: dict[str, Any]) -> Any:
        kind = HTTPSConnection if self._secure else HTTPConnection
        connection = kind(self._host, self._port, timeout=self._seconds)
        try:
            connection.connect()
            if not self._remote and not is_loopback(str(connection.sock.getpeername()[0])):
                raise self._error(f"is not this machine: {self._host} leads elsewhere")
            connection.request("POST", self._path, orjson.dumps(body), self._headers)
            response = connection.getresponse()
            data = response.read(LARGEST + 1)
        except (OSError, HTTPException) as error:
            raise self._error(f"cannot be reached: {error_text(error)}") from error
        finally:
            connection.close()
        if response.status != 200:
            said = data[:200].decode("utf-8", "replace").strip()
            raise self._error(f"answered {response.status} {response.reason}: {said}")
        if len(data) > LARGEST:
            raise self._error("answered too much")
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise self._error(f"answered no JSON: {error}") from error

    def _error(self, what: str) -> EmbeddingServerError:
        return EmbeddingServerError(f"{self.url} {what}")


class OllamaEmbedder(_ServedModel):
    """An Embedder of a model that Ollama runs on this machine, such as "all-minilm"."""

    adapter = "ollama"
    path = "/api/embed"

    def __init__(self, model: str, url: str = OLLAMA, **options: Any) -> None:
        super().__init__(model, url, **options)

    def _rows(self, answer: Any, count: int) -> list[Any]:
        found = answer.get("embeddings") if isinstance(answer, dict) else None
        if not isinstance(found, list):
            raise self._error("answered without embeddings")
        return found


class OpenAIEmbedder(_ServedModel):
    """An Embedder of an endpoint with OpenAI's interface: llama.cpp, vLLM, LM Studio and others.

    A `key` is sent as the bearer token; none is taken from the environment.
    """

    adapter = "openai"
    path = "/embeddings"

    def __init__(self, model: str, url: str, *, key: str | None = None, **options: Any) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        super().__init__(model, url, headers=headers, **options)

    def _rows(self, answer: Any, count: int) -> list[Any]:
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list) or not all(isinstance(row, dict) and "embedding" in row for row in data):
            raise self._error("answered without embeddings")
        numbers = [row.get("index", at) for at, row in enumerate(data)]
        if sorted(numbers, key=repr) != sorted(range(count), key=repr):
            raise self._error(f"answered {len(data)} vectors to {count} texts")
        return [row["embedding"] for _, row in sorted(zip(numbers, data, strict=True), key=lambda each: each[0])]


def is_loopback(host: str) -> bool:
    """Return whether a name or number of a host is that of this machine by its form: localhost, 127.0.0.0/8 or ::1."""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def repaired(text: str) -> str:
    """Return a text with lone surrogates, which JSON cannot hold, replaced."""
    return text.encode("utf-8", "replace").decode()
