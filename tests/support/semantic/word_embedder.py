"""WordEmbedder: a small deterministic embedder, which knows a few synonyms and hashes all other words."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import xxhash

SYNONYMS: Mapping[str, str] = {"physician": "doctor", "automobile": "car", "vessel": "boat"}
DIMENSION = 256


class WordEmbedder:
    """Sums one random vector for each word; a word and its synonym have the same. Counts calls and texts."""

    def __init__(self, name: str = "words", dimension: int = DIMENSION) -> None:
        self.name = name
        self.dimension = dimension
        self.texts: list[str] = []  # passages that were embedded, in order
        self.queries: list[str] = []
        self._lock = threading.Lock()

    def __call__(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        with self._lock:
            (self.queries if query else self.texts).extend(texts)
        return np.array([self._vector(text) for text in texts], np.float32).reshape(len(texts), self.dimension)

    def _vector(self, text: str) -> npt.NDArray[np.float64]:
        words = [SYNONYMS.get(word, word) for word in map(_letters, text.lower().split())]
        total = np.zeros(self.dimension)
        for word in words:
            seed = xxhash.xxh3_64_intdigest(word.encode())
            total += np.random.default_rng(seed).standard_normal(self.dimension)
        return total


def _letters(word: str) -> str:
    return "".join(char for char in word if char.isalnum())
