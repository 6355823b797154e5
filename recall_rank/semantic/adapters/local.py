"""Embedders of models that run in this process: of the packages fastembed and sentence-transformers."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class _LoadedModel(ABC):
    """A model that is loaded when it is used for the first time. Thread-safe."""

    adapter = ""

    def __init__(self, model: str) -> None:
        if not model:
            raise ValueError(f"the adapter {self.adapter!r} needs the name of a model")
        self.model = model
        self.name = f"{self.adapter}:{model}"
        self._lock = threading.Lock()
        self._loaded: Any = None
        self._dimension = 0

    @property
    def dimension(self) -> int:
        """The length of a vector. The model is loaded for it."""
        if not self._dimension:
            self._dimension = self([self.adapter]).shape[1]
        return self._dimension

    @abstractmethod
    def __call__(self, texts: Sequence[str], /, *, query: bool = False) -> npt.NDArray[np.float32]: ...

    def loaded(self) -> Any:
        """Return the model. Raises RuntimeError when its package is not installed, and what the package raises."""
        with self._lock:
            if self._loaded is None:
                try:
                    self._loaded = self._load()
                except ImportError as error:
                    raise RuntimeError(f"the embedder {self.name!r} needs a package: {error}") from error
            return self._loaded

    @abstractmethod
    def _load(self) -> Any: ...


class FastEmbedEmbedder(_LoadedModel):
    """An Embedder of a model of fastembed, such as "BAAI/bge-small-en-v1.5"; the package is the extra `semantic`.

    fastembed fetches a model that it does not have from a hub when it is used for the first time.
    """

    adapter = "fastembed"

    def _load(self) -> Any:
        from fastembed import TextEmbedding

        return TextEmbedding(self.model)

    def __call__(self, texts: Sequence[str], /, *, query: bool = False) -> npt.NDArray[np.float32]:
        """Return f32[texts, dimension]; queries are made by query_embed(), which knows what the model wants."""
        import numpy as np

        model = self.loaded()
        made = model.query_embed(list(texts)) if query else model.passage_embed(list(texts))
        return np.array(list(made), np.float32)


class SentenceTransformersEmbedder(_LoadedModel):
    """An Embedder of a model of sentence-transformers, by its name or its folder.

    The package fetches a model that it does not have from a hub, unless HF_HUB_OFFLINE=1 is set.
    """

    adapter = "sentence-transformers"

    def _load(self) -> Any:
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(self.model)

    def __call__(self, texts: Sequence[str], /, *, query: bool = False) -> npt.NDArray[np.float32]:
        """Return f32[texts, dimension], with the prompts for queries and documents that the model has."""
        import numpy as np

        model = self.loaded()
        encode = getattr(model, "encode_query" if query else "encode_document", model.encode)
        return np.asarray(encode(list(texts), show_progress_bar=False, convert_to_numpy=True), np.float32)
